import type { FastifyRequest } from 'fastify'
import { expect, it } from 'vitest'
import type { Config } from '../config/config.ts'
import { isCrossSite, isSecure } from './origin.ts'

const signInOrigin = 'http://belfry.lan:3000'
const toRequest = (host: string, origin: string) => ({ host, headers: { host, origin }, raw: {} }) as FastifyRequest
const check = (url: string | undefined, host: string, origin: string) =>
  isCrossSite({ url, signInOrigin } as Config, toRequest(host, origin))

it.each([
  [undefined, 'stats.example.com', 'https://stats.example.com'],
  [undefined, 'STATS.example.com.', 'https://stats.example.com'],
  [undefined, 'stats.example.com:443', 'https://stats.example.com.'],
  [undefined, '127.0.0.1:3000', 'http://127.0.0.1:3000'],
  [undefined, '[::1]:3000', 'http://[::1]:3000'],
  ['https://stats.example.com./belfry', 'belfry', 'https://stats.example.com'],
  ['https://stats.example.com', 'belfry', 'https://stats.example.com.'],
  ['https://stats.example.com', '127.0.0.1:3000', 'http://127.0.0.1:3000'],
  ['https://stats.example.com', 'localhost:3000', 'http://localhost:3000'],
  ['https://stats.example.com', '[2001:db8::7]:3000', 'http://[2001:db8::7]:3000'],
  ['https://stats.example.com', 'belfry.lan:3000', signInOrigin],
])('with the public URL %s and Host %s, a request of %s is from the same site', (url, host, origin) => {
  expect(check(url, host, origin)).toBe(false)
})

it.each([
  [undefined, 'stats.example.com', 'https://example.com'],
  [undefined, 'stats.example.com:3000', 'http://stats.example.com:4000'],
  [undefined, 'stats.example.com', 'null'],
  [undefined, '', 'https://stats.example.com'],
  ['https://stats.example.com', 'stats.example.com', 'http://stats.example.com'],
  ['https://stats.example.com', 'evil.example', 'https://evil.example'],
  ['https://stats.example.com', 'belfry.lan:4000', signInOrigin],
  ['https://stats.example.com', 'belfry.lan:3000', 'https://belfry.lan:3000'],
  ['https://stats.example.com', '127.0.0.1:3000', 'http://localhost:3000'],
  ['https://203.0.113.7', '203.0.113.7', 'http://203.0.113.7'],
])('with the public URL %s and Host %s, a request of %s is cross-site', (url, host, origin) => {
  expect(check(url, host, origin)).toBe(true)
})

it.each([
  ['https://stats.example.com', 'https://stats.example.com', true],
  ['http://stats.example.com', 'http://stats.example.com', false],
  // With a secure cookie, nobody could sign in at these addresses.
  ['https://stats.example.com', 'http://127.0.0.1:3000', false],
  ['https://stats.example.com', signInOrigin, false],
  ['https://stats.example.com', 'https://evil.example', true],
])('with the public URL %s, cookies for pages of %s are secure: %s', (url, origin, isExpected) => {
  const { host } = new URL(origin)
  expect(isSecure({ url, signInOrigin } as Config, toRequest(host, origin))).toBe(isExpected)
})
