import { describe, expect, it } from 'vitest'
import { readConfig } from './config.ts'

describe('the configuration', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      url: undefined,
      databaseUrl: undefined,
      database: { timeoutMs: 4_000, requestConnections: 9, backgroundConnections: 6 },
      logLevel: 'info',
      rateLimit: 600,
      timeZone: 'UTC',
      geoDb: undefined,
      trustedProxies: ['127.0.0.0/8', '::1/128'],
      clientAddressHeader: 'x-forwarded-for',
      mail: undefined,
      telegramApi: 'https://api.telegram.org',
      pushoverApi: 'https://api.pushover.net',
      pagerdutyApi: 'https://events.pagerduty.com',
      sms: undefined,
      smsDailyLimit: 100,
      privateTargets: { allowsAll: false, ranges: [] },
      hasFavicons: true,
      hasUpgradeBackups: true,
      eventDays: Number.POSITIVE_INFINITY,
    })
    expect([...readConfig({}).roles]).toEqual(['web', 'checker', 'worker'])
    expect(readConfig({}).dataDir).toMatch(/\/data$/)
  })

  it('treats an empty value as unset', () => {
    expect(readConfig({ PORT: '', BELFRY_URL: ' ' })).toMatchObject({ port: 3000, url: undefined })
  })

  it('reads every setting', () => {
    const config = readConfig({
      PORT: '8080',
      HOST: '::',
      BELFRY_URL: 'https://stats.example.com/belfry/',
      BELFRY_DATA: '/var/lib/belfry',
      DATABASE_URL: 'postgres://u:p@db/belfry',
      BELFRY_DATABASE_TIMEOUT: '2',
      BELFRY_DATABASE_POOL: '20',
      BELFRY_DATABASE_BACKGROUND_POOL: '10',
      BELFRY_ROLES: 'web, worker',
      BELFRY_LOG: 'warn',
      BELFRY_RATE_LIMIT: '0',
      BELFRY_SECRET: 's'.repeat(32),
      BELFRY_ADMIN_EMAIL: 'ada@example.com',
      BELFRY_ADMIN_PASSWORD: 'correct horse',
      BELFRY_METRICS_TOKEN: 't'.repeat(16),
      BELFRY_TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::1',
      BELFRY_CLIENT_ADDRESS_HEADER: 'CF-Connecting-IP',
      BELFRY_TIME_ZONE: 'europe/berlin',
      BELFRY_GEO_DB: '/var/lib/geo/city.mmdb',
      BELFRY_SMTP_URL: 'smtp://ada:hush@mail.example.com:587',
      BELFRY_MAIL_FROM: 'Belfry <belfry@example.com>',
      BELFRY_TELEGRAM_API: 'http://telegram.internal:8081/',
      BELFRY_PUSHOVER_API: 'http://pushover.internal/api/',
      BELFRY_PAGERDUTY_API: 'https://events.eu.pagerduty.com',
      BELFRY_SMS_URL: 'https://sms.example.com/Accounts/AC1/Messages.json',
      BELFRY_SMS_ACCOUNT: 'AC1',
      BELFRY_SMS_TOKEN: ' hush ',
      BELFRY_SMS_FROM: '+15005550006',
      BELFRY_SMS_DAILY: '0',
      BELFRY_PRIVATE_TARGETS: '10.0.0.0/8, ::1',
      BELFRY_FAVICONS: 'off',
      BELFRY_UPGRADE_BACKUP: 'off',
      BELFRY_EVENT_DAYS: '90',
    })
    expect(config).toMatchObject({
      port: 8080,
      host: '::',
      url: 'https://stats.example.com/belfry',
      dataDir: '/var/lib/belfry',
      databaseUrl: 'postgres://u:p@db/belfry',
      database: { timeoutMs: 2_000, requestConnections: 20, backgroundConnections: 10 },
      logLevel: 'warn',
      rateLimit: 0,
      admin: { email: 'ada@example.com', password: 'correct horse' },
      trustedProxies: ['10.0.0.0/8', '2001:db8::1'],
      clientAddressHeader: 'cf-connecting-ip',
      timeZone: 'Europe/Berlin',
      geoDb: '/var/lib/geo/city.mmdb',
      mail: { url: 'smtp://ada:hush@mail.example.com:587', from: 'Belfry <belfry@example.com>' },
      telegramApi: 'http://telegram.internal:8081',
      pushoverApi: 'http://pushover.internal/api',
      pagerdutyApi: 'https://events.eu.pagerduty.com',
      sms: {
        url: 'https://sms.example.com/Accounts/AC1/Messages.json',
        account: 'AC1',
        token: ' hush ',
        from: '+15005550006',
      },
      smsDailyLimit: 0,
      privateTargets: { allowsAll: false, ranges: ['10.0.0.0/8', '::1'] },
      hasFavicons: false,
      hasUpgradeBackups: false,
      eventDays: 90,
    })
    expect([...config.roles]).toEqual(['web', 'worker'])
  })

  it('rejects a BELFRY_URL with a path that Belfry itself uses', () => {
    const urlWithPath = (path: string) => readConfig({ BELFRY_URL: `https://example.com${path}` }).url
    for (const path of ['/belfry', '/tools/monitors', '/tools.v2/belfry', '/stats']) {
      expect(urlWithPath(path)).toBe(`https://example.com${path}`)
    }
    for (const path of ['/monitors', '/api', '/api/belfry', '/example.com', '/localhost', '/docs/']) {
      expect(() => urlWithPath(path)).toThrow('which Belfry itself uses')
    }
  })

  it('reports all errors together and repeats no secret', () => {
    const readInvalidConfig = () =>
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
        BELFRY_SMTP_URL: 'imap://ada:hush@mail.example.com',
        BELFRY_MAIL_FROM: 'Belfry',
        BELFRY_TELEGRAM_API: 'telegram',
        BELFRY_SMS_TOKEN: 'hush',
        BELFRY_SMS_DAILY: 'many',
        BELFRY_PRIVATE_TARGETS: 'some',
      })
    expect(readInvalidConfig).toThrow(/17 errors/)
    for (const name of [
      'PORT',
      'BELFRY_URL',
      'DATABASE_URL',
      'BELFRY_ROLES',
      'BELFRY_LOG',
      'BELFRY_RATE_LIMIT',
      'BELFRY_TIME_ZONE',
      'BELFRY_SMTP_URL',
      'BELFRY_MAIL_FROM',
      'BELFRY_TELEGRAM_API',
      'BELFRY_SMS_DAILY',
    ]) {
      expect(readInvalidConfig).toThrow(new RegExp(`\n {2}${name}: must`))
    }
    expect(readInvalidConfig).toThrow('BELFRY_ADMIN_EMAIL, BELFRY_ADMIN_PASSWORD must be set together')
    expect(readInvalidConfig).toThrow(
      /BELFRY_SMS_FROM must be set together.*missing: BELFRY_SMS_URL, BELFRY_SMS_ACCOUNT, BELFRY_SMS_FROM/,
    )
    expect(readInvalidConfig).toThrow('BELFRY_PRIVATE_TARGETS: "some" is not')
    expect(readInvalidConfig).not.toThrow('hush')
  })

  it('does not repeat a URL that contains a password', () => {
    for (const name of ['BELFRY_URL', 'BELFRY_TELEGRAM_API', 'BELFRY_SMS_URL', 'BELFRY_SMTP_URL']) {
      const env = { BELFRY_MAIL_FROM: 'a@b.example', [name]: 'https://ada:hush@host.example' }
      expect(() => readConfig(env)).toThrow(name)
      expect(() => readConfig(env)).not.toThrow('hush')
    }
  })

  it.each([
    ['security@example.com', 'mailto:security@example.com'],
    ['mailto:security@example.com?subject=Belfry', 'mailto:security@example.com?subject=Belfry'],
    ['https://example.com/security', 'https://example.com/security'],
    ['tel:+1-201-555-0123', 'tel:+1-201-555-0123'],
  ])('converts the security contact %s to a URI', (text, uri) => {
    expect(readConfig({ BELFRY_SECURITY_CONTACT: text }).securityContact).toBe(uri)
  })

  it.each(['Ada', 'http://example.com/', 'https://ada:hush@example.com/', 'a@example.com\nContact: b@example.com'])(
    'refuses the security contact %j',
    (text) => {
      expect(() => readConfig({ BELFRY_SECURITY_CONTACT: text })).toThrow(
        'BELFRY_SECURITY_CONTACT: must be an email address, or a URL that begins with https:, mailto: or tel:, without a user name or password',
      )
    },
  )

  it('reads domains in any case, and says which one is wrong', () => {
    const read = (text: string) => readConfig({ BELFRY_MAIL_DOMAINS: text }).mailDomains
    expect(read('example.com, Example.ORG')).toEqual(['example.com', 'example.org'])
    expect(() => read(',')).toThrow('BELFRY_MAIL_DOMAINS: must be a list of domains such as example.com')
    expect(() => read('a@example.com')).toThrow('"a@example.com" is not a domain; did you mean example.com?')
  })

  it('cannot be changed', () => {
    expect(Object.isFrozen(readConfig({}))).toBe(true)
  })
})
