import type { FastifyRequest } from 'fastify'
import { expect, it } from 'vitest'
import type { Config } from '../config/config.ts'
import { isCrossSite } from './origin.ts'

const check = (url: string | undefined, host: string, origin: string) =>
  isCrossSite({ url } as Config, { host, headers: { host, origin }, raw: {} } as FastifyRequest)

it.each([
  [undefined, 'stats.example.com', 'https://stats.example.com'],
  [undefined, 'STATS.example.com.', 'https://stats.example.com'],
  [undefined, 'stats.example.com:443', 'https://stats.example.com.'],
  [undefined, '127.0.0.1:3000', 'http://127.0.0.1:3000'],
  [undefined, '[::1]:3000', 'http://[::1]:3000'],
  ['https://stats.example.com./belfry', 'belfry', 'https://stats.example.com'],
  ['https://stats.example.com', 'belfry', 'https://stats.example.com.'],
])('with BELFRY_URL %s and Host %s, a request of %s is from the same site', (url, host, origin) => {
  expect(check(url, host, origin)).toBe(false)
})

it.each([
  [undefined, 'stats.example.com', 'https://example.com'],
  [undefined, 'stats.example.com:3000', 'http://stats.example.com:4000'],
  [undefined, 'stats.example.com', 'null'],
  [undefined, '', 'https://stats.example.com'],
  ['https://stats.example.com', 'stats.example.com', 'http://stats.example.com'],
  ['https://stats.example.com', 'evil.example', 'https://evil.example'],
])('with BELFRY_URL %s and Host %s, a request of %s is cross-site', (url, host, origin) => {
  expect(check(url, host, origin)).toBe(true)
})
