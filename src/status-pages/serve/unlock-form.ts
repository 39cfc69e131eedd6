/**
 * The page that asks for the password of a status page. It reveals nothing about the status page, not even its title.
 */
import { toFontBase } from '../render/fonts.ts'
import { statusPageHeaders } from '../render/headers.ts'
import { renderNoticePage } from '../render/notice-page.ts'

/** `pagePath` is the path of the status page, with the prefix of the public URL. */
export const unlockFormHeaders = (pagePath: string): Record<string, string> => ({
  ...statusPageHeaders({ accentColor: null }, { fontBase: toFontBase(pagePath), hasPasswordField: true }),
  'cache-control': 'private, no-store',
  'cross-origin-resource-policy': 'same-origin',
  'www-authenticate': 'Bearer',
})

/** Send it with the headers of `unlockFormHeaders`. `error` says why the last attempt failed. */
export function renderUnlockForm(pagePath: string, error?: string): string {
  return renderNoticePage({
    page: undefined,
    fontBase: toFontBase(pagePath),
    title: 'Password required',
    bodyHtml: '<p>This status page is protected by a password.</p>',
    form: {
      action: `${pagePath}/unlock`,
      fields: [
        {
          kind: 'input',
          type: 'password',
          name: 'password',
          label: 'Password',
          autocomplete: 'current-password',
          ...(error !== undefined && { error }),
        },
      ],
      submitLabel: 'Open page',
    },
  })
}
