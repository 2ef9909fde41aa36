UPDATE tokens SET source = '', expires = NULL WHERE id = 't1';
