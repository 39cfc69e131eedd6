/** What a website puts into its pages so that visitors are counted. A domain holds nothing that HTML would mind. */
export function snippetOf(baseUrl: string, domain: string): string {
  return `<script defer src="${baseUrl}/b.js" data-domain="${domain}"></script>`
}
