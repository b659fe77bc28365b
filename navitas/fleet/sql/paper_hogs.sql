-- By app, and in one row without an app for all pairs: how many, and sums of their rates; they add up over groups of clients.
SELECT
    app, CAST(SUM(pairs) AS BIGINT) AS pairs, SUM(CAST(rate AS DOUBLE)) AS rate, SUM(CAST(square AS DOUBLE)) AS square
FROM paper GROUP BY app
