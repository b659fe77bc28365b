-- By app, and in a row with a null app for the screen: sums that add up over groups of clients.
SELECT app, {sums} FROM evidence GROUP BY app
