import { expect, it } from 'vitest'
import { parsePagePart } from './unlock-form.ts'

it.each(['history', 'history/2026-11'])('after the password, a visitor can come back to %s', (part) => {
  expect(parsePagePart(part)).toBe(part)
})

it.each(['', 'subscribe', 'history/', 'history/../../sign-in', 'history/2026-11?x', '//evil.example', '/history'])(
  'a form with the part “%s” leads to the page itself',
  (part) => {
    expect(parsePagePart(part)).toBeUndefined()
  },
)
