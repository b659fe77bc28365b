-- By client and app: the sums of its months. Months have separate coefficients of the controls.
SELECT
    client, app, CAST(SUM(CAST(pairs AS DOUBLE)) AS BIGINT) AS pairs, SUM(CAST(ran_s AS DOUBLE)) AS ran_s,
    SUM(CAST(drop_ppm AS DOUBLE)) AS drop_ppm, SUM(CAST(s AS DOUBLE)) AS s, SUM(CAST(noise AS DOUBLE)) AS noise,
    SUM(CAST(w0 AS DOUBLE)) AS w0, SUM(CAST(w1 AS DOUBLE)) AS w1, SUM(CAST(w2 AS DOUBLE)) AS w2,
    SUM(CAST(w3 AS DOUBLE)) AS w3, SUM(CAST(w4 AS DOUBLE)) AS w4
FROM usage GROUP BY client, app
