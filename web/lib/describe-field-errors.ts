/**
 * Shortens the server's validation messages for display next to a field. The server names the field as the API does:
 * "`http.keyword` must not be empty." becomes "Must not be empty."
 */
export function describeFieldErrors(messages: readonly string[] | undefined, field: string): string[] {
  return (messages ?? []).map((message) => {
    const prefix = [`\`${field}\` `, `The ${field} `].find((start) => message.startsWith(start))
    if (prefix === undefined) return message
    const rest = message.slice(prefix.length)
    if (rest === 'is required.') return 'Required'
    if (rest === 'is incorrect.') return `Incorrect ${field.split('_').at(-1)}`
    return nameOtherFields(rest.charAt(0).toUpperCase() + rest.slice(1))
  })
}

/** Replaces the field names that a message mentions with words: "`retry_interval`" becomes "retry interval". */
function nameOtherFields(message: string): string {
  return message.replace(/`([a-z_.]+)`/g, (_, name: string) => name.replaceAll(/[_.]/g, ' '))
}
