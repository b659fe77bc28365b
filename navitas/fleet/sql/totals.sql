-- Totals of all clients' pairs. They add up over groups of clients.
SELECT CAST(SUM(pairs) AS BIGINT) AS pairs, CAST(SUM(seconds) AS BIGINT) AS seconds, CAST(SUM(drop_ppm) AS BIGINT) AS drop_ppm
FROM clients
