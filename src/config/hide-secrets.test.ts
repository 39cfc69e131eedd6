import { describe, expect, it } from 'vitest'
import { formatSettingText, hideUrlSecrets } from './hide-secrets.ts'
import { getSetting, secretNames } from './settings.ts'

describe('a URL with secrets', () => {
  it.each([
    ['postgres://ada:hush@db:5432/belfry', 'postgres://ada:***@db:5432/belfry'],
    ['postgres://ada:hu@sh@a,b/belfry?sslmode=require', 'postgres://ada:***@a,b/belfry?sslmode=require'],
    ['postgres://ada@db/belfry', 'postgres://ada@db/belfry'],
    ['postgres:///belfry?host=/run/x&password=hush&options=hush', 'postgres:///belfry?host=/run/x&password=***&***'],
    ['postgres://ada@db/belfry?p%61ssword=hush', 'postgres://ada@db/belfry?***'],
    ['smtps://ada%40example.com:hush@mail.example.com:465', 'smtps://ada%40example.com:***@mail.example.com:465'],
    ['smtp://mail.example.com?requireTLS=true&auth.pass=hush', 'smtp://mail.example.com?requireTLS=true&***'],
    ['https://sms.example.com/Messages.json?token=hush', 'https://sms.example.com/Messages.json?***'],
    // These are valid URLs, but their passwords were probably meant to contain a special character.
    ['smtp://ada:12/hush@mail.example.com', '***'],
    ['smtp://ada:12?hush@mail.example.com', '***'],
    ['smtp://ada:12#hush@mail.example.com', '***'],
    ['hush', '***'],
  ])('is shown without them: %j as %j', (url, text) => {
    expect(hideUrlSecrets(url)).toBe(text)
  })
})

it('a secret that is not a URL is hidden completely', () => {
  const names = secretNames.filter((name) => getSetting(name).secret === 'text')
  expect(names.length).toBeGreaterThan(3)
  for (const name of names) expect(formatSettingText(name, 'hush')).toBe('***')
  expect(formatSettingText('BELFRY_LOG', 'info')).toBe('info')
})
