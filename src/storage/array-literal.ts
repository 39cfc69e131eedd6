/**
 * Writes PostgreSQL array literals. pg writes the same text but inspects the type of every element, which costs too much
 * CPU time at thousands of check results a second.
 */
export function numbersLiteral(values: readonly (number | null)[]): string {
  let text = '{'
  for (let index = 0; index < values.length; index++) {
    const value = values[index]
    text += `${index === 0 ? '' : ','}${value ?? 'NULL'}`
  }
  return `${text}}`
}

export function textsLiteral(values: readonly (string | null)[]): string {
  let text = '{'
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? null
    if (index > 0) text += ','
    text += value === null ? 'NULL' : `"${value.replace(/["\\]/g, '\\$&')}"`
  }
  return `${text}}`
}
