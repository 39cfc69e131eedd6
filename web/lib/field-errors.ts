/** The server's sentences name the field as the API does; beside the field its name is not needed. */
export function describeFieldErrors(errors: readonly string[] | undefined, field: string): string[] {
  const name = `The ${field} `
  return (errors ?? []).map((sentence) => {
    if (!sentence.startsWith(name)) return sentence
    const rest = sentence.slice(name.length)
    return rest.charAt(0).toUpperCase() + rest.slice(1)
  })
}
