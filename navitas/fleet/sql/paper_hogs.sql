-- By app, and in a row with a null app for all pairs: number of pairs and sums of rates. They add up over groups of clients.
SELECT
    app, CAST(SUM(pairs) AS BIGINT) AS pairs, SUM(CAST(rate AS DOUBLE)) AS rate, SUM(CAST(square AS DOUBLE)) AS square
FROM paper GROUP BY app
