import { expect, it } from 'vitest'
import { buildSignInPath, findUrlAfterSignIn } from './sign-in-path.ts'

const baseUrl = 'https://stats.example.com/belfry/'
const searchOf = (path: string) => new URL(buildSignInPath(path), baseUrl).search

it.each([
  ['/incidents/5', `${baseUrl}incidents/5`],
  ['/shop.example?period=day&filter=a%26b', `${baseUrl}shop.example?period=day&filter=a%26b`],
  ['/', baseUrl],
])('after signing in, people see the page that they wanted: %s', (path, url) => {
  expect(findUrlAfterSignIn(searchOf(path), baseUrl)).toBe(url)
})

it.each(['https://evil.example/', '//evil.example/', '/../../evil', '/\\evil.example', 'javascript:alert(1)', ''])(
  'signing in never leads to another website: %j',
  (next) => {
    expect(findUrlAfterSignIn(`?next=${encodeURIComponent(next)}`, baseUrl)).toMatch(baseUrl)
  },
)
