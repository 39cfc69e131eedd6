import { describe, expect, it } from 'vitest'
import { readConfig } from './config.ts'

describe('the configuration', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      url: undefined,
      databaseUrl: undefined,
      logLevel: 'info',
      rateLimit: 600,
      timeZone: 'UTC',
      trustedProxies: ['127.0.0.0/8', '::1/128'],
      unknown: [],
    })
    expect([...readConfig({}).roles]).toEqual(['web', 'checker', 'worker'])
    expect(readConfig({}).dataDir).toMatch(/\/data$/)
  })

  it('takes an empty value for none', () => {
    expect(readConfig({ PORT: '', BELFRY_URL: ' ' })).toMatchObject({ port: 3000, url: undefined })
  })

  it('reads every setting', () => {
    const config = readConfig({
      PORT: '8080',
      HOST: '::',
      BELFRY_URL: 'https://stats.example.com/belfry/',
      BELFRY_DATA: '/var/lib/belfry',
      DATABASE_URL: 'postgres://u:p@db/belfry',
      BELFRY_ROLES: 'web, worker',
      BELFRY_LOG: 'warn',
      BELFRY_RATE_LIMIT: '0',
      BELFRY_SECRET: 's'.repeat(32),
      BELFRY_ADMIN_EMAIL: 'ada@example.com',
      BELFRY_ADMIN_PASSWORD: 'correct horse',
      BELFRY_METRICS_TOKEN: 't'.repeat(16),
      BELFRY_TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::1',
      BELFRY_TIME_ZONE: 'europe/berlin',
    })
    expect(config).toMatchObject({
      port: 8080,
      host: '::',
      url: 'https://stats.example.com/belfry',
      dataDir: '/var/lib/belfry',
      databaseUrl: 'postgres://u:p@db/belfry',
      logLevel: 'warn',
      rateLimit: 0,
      admin: { email: 'ada@example.com', password: 'correct horse' },
      trustedProxies: ['10.0.0.0/8', '2001:db8::1'],
      timeZone: 'Europe/Berlin',
    })
    expect([...config.roles]).toEqual(['web', 'worker'])
  })

  it('lists every mistake at once, and repeats no secret', () => {
    const read = () =>
      readConfig({
        PORT: '80x',
        BELFRY_URL: 'stats.example.com',
        DATABASE_URL: 'mysql://root:hush@db/belfry',
        BELFRY_ROLES: 'web,cook',
        BELFRY_LOG: 'loud',
        BELFRY_RATE_LIMIT: '-1',
        BELFRY_SECRET: 'hush',
        BELFRY_ADMIN_EMAIL: 'ada@example.com',
        BELFRY_METRICS_TOKEN: 'hush',
        BELFRY_TRUSTED_PROXIES: '10.0.0.0/33',
        BELFRY_TIME_ZONE: 'Mars',
      })
    expect(read).toThrow(/11 mistakes/)
    for (const name of [
      'PORT',
      'BELFRY_URL',
      'DATABASE_URL',
      'BELFRY_ROLES',
      'BELFRY_LOG',
      'BELFRY_RATE_LIMIT',
      'BELFRY_TIME_ZONE',
    ]) {
      expect(read).toThrow(new RegExp(`\n {2}${name}: must`))
    }
    expect(read).toThrow('BELFRY_ADMIN_EMAIL and BELFRY_ADMIN_PASSWORD go together')
    expect(read).not.toThrow('hush')
  })

  it('notices names that are not settings', () => {
    expect(readConfig({ BELFRY_RATELIMIT: '1' }).unknown).toEqual(['BELFRY_RATELIMIT'])
  })

  it('cannot be changed', () => {
    expect(Object.isFrozen(readConfig({}))).toBe(true)
  })
})
