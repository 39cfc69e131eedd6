/** What `markdown.ts` loads on first use. */
export { default as createMarkdownIt } from 'markdown-it'
