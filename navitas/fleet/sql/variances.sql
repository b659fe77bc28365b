-- By client: the variance per second that the regressions on its apps leave, as a mean over apps.
SELECT client, SUM(noise) / NULLIF(SUM(w0 + w1 + w2 + w3 + w4), 0) AS variance FROM contrast
GROUP BY client HAVING SUM(noise) > 0 AND SUM(w0 + w1 + w2 + w3 + w4) > 0
