-- A client's pairs by screen: time, drop, and v, the variance of a pair's rate per second. Other statements continue from here.
WITH pairs_of_clients AS (
    SELECT
        client, screen,
        CAST(SUM(pairs) AS DOUBLE) AS n, CAST(SUM(seconds) AS DOUBLE) AS t, CAST(SUM(drop_ppm) AS DOUBLE) AS d,
        CAST(SUM(square) AS DOUBLE) AS q
    FROM clients GROUP BY client, screen
),
whole AS (
    SELECT
        client, screen, t, d,
        CASE WHEN n > 1 AND q - d * d / t > n / 2  -- Smaller values are rounding errors of 0.
            THEN (q - d * d / t) / (n - 1) ELSE 0 END AS v
    FROM pairs_of_clients
)
