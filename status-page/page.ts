/** Runs on status pages. They work without it. */
for (const time of document.querySelectorAll('time')) time.title = time.dateTime
