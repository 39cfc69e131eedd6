import { describe, expect, it } from 'vitest'
import { FieldParser } from '../lib/field-parser.ts'
import { defaultOptions, type TypeOptions, type TypeWithOptions } from './option-schemas.ts'
import { changeOptions } from './options.ts'

/** Returns the options after the change, or throws the errors. */
function changeTo<Type extends TypeWithOptions>(
  type: Type,
  sentOptions: Partial<TypeOptions[Type]> | null | undefined,
  current: TypeOptions[Type] | null = null,
): TypeOptions[Type] {
  const parser = new FieldParser()
  const options = changeOptions(parser, type, current, { [type]: sentOptions })
  parser.throwIfInvalid()
  return options
}

describe('the options of type tls', () => {
  it('keep each threshold once, the largest first, and may have none', () => {
    expect(changeTo('tls', { warn_days: [7, 30, 7, 1] }).warn_days).toEqual([30, 7, 1])
    expect(changeTo('tls', { warn_days: [] }).warn_days).toEqual([])
  })

  it.each([
    ['Shop.Example.com', 'shop.example.com'],
    ['müller.example', 'xn--mller-kva.example'],
  ])('name the server %s as %s', (text, name) => {
    expect(changeTo('tls', { server_name: text }).server_name).toBe(name)
  })

  it.each([
    '203.0.113.7',
    '[2001:db8::7]',
    'a b',
    'shop.example.com:443',
    'https://shop.example.com',
    'user@a.example',
  ])("can't name the server %s", (text) => {
    expect(() => changeTo('tls', { server_name: text })).toThrow(/^`tls.server_name` must be a host name/)
  })
})

describe('the options of type dns', () => {
  it.each(['9.9.9.9', '9.9.9.9:5353', '2620:fe::fe', '[2620:fe::fe]:53'])('can name the resolver %s', (resolver) => {
    expect(changeTo('dns', { resolver }).resolver).toBe(resolver)
  })

  it.each(['dns.example.com', '9.9.9.9:65536', '9.9.9.9:', '[9.9.9.9', 'https://9.9.9.9/'])(
    "can't name the resolver %s",
    (resolver) => {
      expect(() => changeTo('dns', { resolver })).toThrow(/^`dns.resolver` must be an IP address/)
    },
  )

  it('can only expect records of their type, also if only the type changes', () => {
    const current = changeTo('dns', { record: 'A', expected: ['203.0.113.7'] })
    expect(() => changeTo('dns', { record: 'MX' }, current)).toThrow(
      /^`dns.expected` must contain MX records such as 10 mail/,
    )
    expect(changeTo('dns', { record: 'MX', expected: null }, current)).toMatchObject({ record: 'MX', expected: null })
  })
})

describe('options', () => {
  it('that are not sent keep their values, and null resets all of them', () => {
    const current: TypeOptions['tcp'] = { send: 'PING\r\n', expect: '+PONG' }
    expect(changeTo('tcp', { expect: null }, current)).toEqual({ send: 'PING\r\n', expect: null })
    expect(changeTo('tcp', undefined, current)).toEqual(current)
    expect(changeTo('tcp', null, current)).toEqual(defaultOptions.tcp)
  })
})

describe('the options of type heartbeat', () => {
  it('change from a cron expression to a period and back', () => {
    const nightly = changeTo('heartbeat', { cron: '30 2 * * *', time_zone: 'Europe/Berlin' })
    const hourly = changeTo('heartbeat', { period: 3_600 }, nightly)
    expect(hourly).toEqual({ period: 3_600, cron: null, time_zone: null, grace: 300 })
    expect(changeTo('heartbeat', { cron: '@daily' }, hourly)).toMatchObject({ period: null, cron: '@daily' })
    expect(() => changeTo('heartbeat', { period: 60, cron: '@daily' }, hourly)).toThrow(/can't contain both/)
  })
})
