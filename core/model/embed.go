package model

const maxBatch = 64
