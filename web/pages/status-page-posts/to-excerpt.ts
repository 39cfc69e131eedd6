/** The text of a post in one line, without Markdown syntax. */
export const toExcerpt = (markdown: string) =>
  markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s*(?:#{1,6}|>|[*+-]|\d+\.)\s+/gm, '')
    .replace(/\*\*|__|~~|`+/g, '')
    .replace(/(^|\s)[*_](\S[^*_]*)[*_]/g, '$1$2')
    .replace(/\s+/g, ' ')
    .trim()
