import { expect, it } from 'vitest'
import { findReach } from './reach.ts'

it.each([
  ['http://localhost:3000', 'computer'],
  ['http://app.localhost', 'computer'],
  ['http://127.0.1.1', 'computer'],
  ['http://[::1]:3000', 'computer'],
  ['http://10.1.2.3', 'network'],
  ['http://172.31.0.1', 'network'],
  ['http://192.168.0.1:3000', 'network'],
  ['http://100.64.0.1', 'network'],
  ['http://[fd12::1]', 'network'],
  ['http://[fe80::1]', 'network'],
  ['http://nas', 'network'],
  ['http://belfry.local', 'network'],
  ['http://belfry.home.arpa', 'network'],
  ['http://172.32.0.1', 'internet'],
  ['http://100.128.0.1', 'internet'],
  ['http://10.example.com', 'internet'],
  ['http://[2606:4700::1]', 'internet'],
  ['https://stats.example.com', 'internet'],
  ['https://local.example', 'internet'],
])('%s can be reached from: %s', (url, reach) => {
  expect(findReach(new URL(url).hostname)).toBe(reach)
})
