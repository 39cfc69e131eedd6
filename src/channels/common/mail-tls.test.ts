import { expect, it } from 'vitest'
import { chooseMailTls } from './mail-tls.ts'

const anyCertificate = { tls: { rejectUnauthorized: false } }

it.each([
  ['smtp://mail.example.com:587', {}],
  ['smtp://user:password@mail.example.com:587', { requireTLS: true }],
  ['smtp://user:password@mail.example.com:587?ignoreTLS=true', {}],
  ['smtps://user:password@mail.example.com', {}],
  ['smtp://localhost:25', { opportunisticTLS: true, ...anyCertificate }],
  ['smtp://user:password@LOCALHOST:25', { opportunisticTLS: true, ...anyCertificate }],
  ['smtp://127.0.0.1:587?requireTLS=true', anyCertificate],
  ['smtps://[::1]:465', anyCertificate],
  ['smtp://localhost:25?tls.rejectUnauthorized=true', { opportunisticTLS: true }],
  ['smtp://localhost.example.com:25', {}],
  ['smtp://127.0.0.1.example.com:25', {}],
  ['smtp://192.168.0.1:25', {}],
])('the connection to %s has the TLS options %j', (url, expected) => {
  expect(chooseMailTls(new URL(url))).toEqual(expected)
})
