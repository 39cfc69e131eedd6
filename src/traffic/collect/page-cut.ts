/** The beginning of an address, with no escape broken off: neither `%C`, nor half of `%C3%A4`. */
export function cutAddress(text: string, most: number): string {
  if (text.length <= most) return text
  let end = most
  const percent = text.lastIndexOf('%', end - 1)
  if (percent !== -1 && percent > end - 3) end = percent
  // The later bytes of a character begin with the bits 10. Four make the longest one.
  for (let bytes = 0; bytes < 3 && /^%[89ab]/i.test(text.slice(end, end + 2)) && end >= 3; bytes++) end -= 3
  const start = text.slice(0, end)
  return start.isWellFormed() ? start : start.slice(0, -1)
}
