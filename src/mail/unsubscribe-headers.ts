/** These headers make mail programs show an unsubscribe button. One-click unsubscribing requires https (RFC 8058). */
export function createUnsubscribeHeaders(unsubscribeUrl: string | undefined): Record<string, string> {
  if (unsubscribeUrl === undefined) return {}
  const headers = { 'List-Unsubscribe': `<${unsubscribeUrl}>` }
  const isHttps = unsubscribeUrl.startsWith('https:')
  return isHttps ? { ...headers, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' } : headers
}
