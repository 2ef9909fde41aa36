UPDATE citations SET updated = 1650000000000000 WHERE turn = 3;
