/** These three mean something to Slack and in Telegram's HTML: a monitor called <!channel> would call everybody. */
export function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
