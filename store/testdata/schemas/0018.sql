INSERT INTO fact_pages (page, facts) VALUES (7, x'00');
