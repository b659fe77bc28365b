-- By client: whether its samples with a lit screen report the brightness. Each client has a row with screen = 0.
SELECT client, SUM(bright) >= {share} * SUM(lit) AS is_bright FROM clients WHERE screen = 0 GROUP BY client
