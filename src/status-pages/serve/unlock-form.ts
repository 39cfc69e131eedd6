/**
 * The page that asks for the password of a status page. It reveals nothing about the status page, not even its title.
 */
import { toFontBase } from '../render/fonts.ts'
import { statusPageHeaders } from '../render/headers.ts'
import { renderNoticePage } from '../render/notice-page.ts'

/** `basePath` is the path of the status page below `/status/`, with the prefix of the public URL. */
export const unlockFormHeaders = (basePath: string): Record<string, string> => ({
  ...statusPageHeaders({ accentColor: null }, { fontBase: toFontBase(basePath), hasPasswordField: true }),
  'cache-control': 'private, no-store',
  'cross-origin-resource-policy': 'same-origin',
  'www-authenticate': 'Bearer',
})

/** A part of the status page that has its own URL: its history, or one month of it. */
const partPattern = /^history(?:\/20\d\d-\d\d)?$/

/**
 * Returns which part of the page a visitor asked for, so that they get it after they have entered the password. `text` is the URL of the
 * request after the slug, or the field of the form. Anybody can send such a field, so other texts are ignored.
 */
export const parsePagePart = (text: string): string | undefined => (partPattern.test(text) ? text : undefined)

interface UnlockFormOptions {
  /** The result of `parsePagePart`. */
  part?: string | undefined
  /** Says why the last attempt failed. */
  error?: string | undefined
}

/** Send it with the headers of `unlockFormHeaders`. */
export function renderUnlockForm(basePath: string, { part, error }: UnlockFormOptions = {}): string {
  return renderNoticePage({
    page: undefined,
    fontBase: toFontBase(basePath),
    title: 'Password required',
    bodyHtml: '<p>This status page is protected by a password.</p>',
    form: {
      action: `${basePath}/unlock`,
      fields: [
        ...(part === undefined ? [] : [{ kind: 'hidden' as const, name: 'part', value: part }]),
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
