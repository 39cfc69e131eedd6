/** How the Markdown of posts becomes HTML. Status pages and the preview in the application follow the same rules. */

export const markdownOptions = {
  html: false,
  linkify: true,
  breaks: true,
  /** Deeper lists and quotes are left out, so that no text can take long to parse. */
  maxNesting: 20,
} as const

/** Only complete URLs become links, so that file names such as README.md don't. */
export const markdownLinkOptions = { fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false } as const

export const MARKDOWN_LINK_REL = 'nofollow noopener noreferrer'

export const isAllowedMarkdownLink = (url: string) => /^(?:https?:\/\/|mailto:)/i.test(url.trim())

/** The title of a post is an h3, so the headings in its text begin with h4. */
const TOP_HEADING_LEVEL = 4
const MAX_HEADING_LEVEL = 6

/** The HTML tag of a heading that has this level in the Markdown. */
export const toMarkdownHeading = (level: number) =>
  `h${Math.min(MAX_HEADING_LEVEL, level + TOP_HEADING_LEVEL - 1)}` as const
