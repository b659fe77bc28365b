-- By app: moments over clients, of which a weighted mean and its cluster-robust error are made; they add up over groups of clients.
SELECT
    app, COUNT(*) AS clients, SUM(pairs) AS pairs, SUM(seconds) AS seconds, SUM(drop_ppm) AS drop_ppm,
    SUM(CASE WHEN w > 0 THEN 1 ELSE 0 END) AS contrasted,
    SUM(w) AS w, SUM(s) AS s, SUM(s * s) AS ss, SUM(s * w) AS sw, SUM(w * w) AS ww
FROM contrast
GROUP BY app
