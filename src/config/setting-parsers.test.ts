import { expect, it } from 'vitest'
import { readConfig } from './config.ts'

it.each([
  ['BELFRY_FAVICONS', 'true', 'must be one of on, off, not "true"; did you mean on?'],
  ['BELFRY_FAVICONS', 'No', 'must be one of on, off, not "No"; did you mean off?'],
  ['BELFRY_LOG', 'WARNING', '; did you mean warn?'],
  ['BELFRY_LOG', 'Info', '; did you mean info?'],
  ['BELFRY_ROLES', 'web,workers', '; did you mean worker?'],
  ['PORT', '80a', 'must be a whole number from 0 to 65535, not "80a"'],
  ['PORT', '70000', 'must be a whole number from 0 to 65535, not "70000"'],
  ['BELFRY_EVENT_DAYS', '0', 'must be a whole number from 1 to 36500, not "0"'],
  ['BELFRY_EVENT_DAYS', 'never', 'must be forever or a whole number from 1 to 36500, not "never"'],
  ['BELFRY_RATE_LIMIT', '1,000', '; did you mean 1000?'],
  ['PORT', '"3000"', '; remove the quotes around the value'],
  ['HOST', '0.0.0.0:3000', '; did you mean 0.0.0.0?'],
  ['HOST', 'http://[::1]:3000/', '; did you mean ::1?'],
  ['HOST', '*', 'must be an IP address or host name such as 0.0.0.0, without a port, not "*"'],
  ['BELFRY_URL', 'stats.example.com/belfry', '; did you mean https://stats.example.com/belfry?'],
  ['BELFRY_TIME_ZONE', 'New York', '; did you mean America/New_York?'],
  ['BELFRY_TIME_ZONE', 'Europe/Berln', '; did you mean Europe/Berlin?'],
])('the error about %s=%s says which value is right', (name, text, message) => {
  const error = (() => {
    try {
      return readConfig({ [name]: text })
    } catch (caughtError) {
      return caughtError as Error
    }
  })()
  expect(error).toMatchObject({ message: expect.stringContaining(`${name}: `) })
  expect(error).toMatchObject({ message: expect.stringMatching(new RegExp(`${RegExp.escape(message)}$`)) })
})

it.each(['localhost', 'stats_1.example.com', '0.0.0.0', '::', 'fe80::1%eth0'])(
  'the configuration accepts HOST=%s',
  (host) => {
    expect(readConfig({ HOST: host }).host).toBe(host)
  },
)
