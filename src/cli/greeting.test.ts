import { expect, it } from 'vitest'
import { formatGreeting } from './greeting.ts'

const address = 'http://127.0.0.1:3000'
const setupPath = '/setup?token=abc'
const findUrls = (publicUrl: string | undefined, path?: string) =>
  formatGreeting({ address, publicUrl, setupPath: path }).match(/http\S+/g)

it.each([
  [undefined, ['http://localhost:3000']],
  ['https://stats.example.com/belfry', ['https://stats.example.com/belfry', 'http://localhost:3000']],
  // The same address isn't printed twice.
  ['http://localhost:3000', ['http://localhost:3000']],
])('the server with the public URL %s prints where it runs, and the one-time link', (publicUrl, urls) => {
  const docs = `${urls[0]}/docs`
  expect(findUrls(publicUrl)).toEqual([...urls, docs])
  expect(findUrls(publicUrl, setupPath)).toEqual([...urls, ...urls.map((url) => url + setupPath), docs])
})
