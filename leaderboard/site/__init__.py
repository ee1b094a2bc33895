"""The leaderboard as a folder of static pages, which needs no server and no other host.

pages   what the pages say           charts   their pictures, as Vega-Lite
build   the folder, written at once  *.html, board.js, site.css   how they look
"""
