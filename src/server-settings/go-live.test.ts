import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../shared/time.ts'
import { type Deployment, deploymentKinds } from './deployment.ts'
import { type GoLiveFacts, listGoLiveItems } from './go-live.ts'

const now = new Date('2026-01-20T10:00:00Z')
const program: Deployment['program'] = {
  folder: '/home/ada/my stats',
  dataDir: '/srv/data',
  node: '/usr/bin/node',
  script: '/home/ada/belfry/bin/belfry.js',
}
const service: Deployment = { kind: 'service', configFile: '/etc/belfry/belfry.env', program }
const mailTest = { testedAt: '2026-01-18T12:00:00Z', error: null }
const newServer: GoLiveFacts = {
  url: undefined,
  mailHost: undefined,
  mailTest: undefined,
  lastBackupAt: undefined,
  hasOtherBackups: false,
  hasOwnDatabase: false,
  deployment: service,
  port: 3000,
  now,
}
const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS)
const describeStates = (facts: Partial<GoLiveFacts>) =>
  Object.fromEntries(
    listGoLiveItems({ ...newServer, ...facts }).map(({ key, isDone, state }) => [key, { isDone, state }]),
  )

describe('the list of what to set before going live', () => {
  it.each([
    ['url', {}, false, 'The public URL is not set.'],
    [
      'url',
      { url: 'http://localhost:3000' },
      false,
      'The public URL http://localhost:3000 only works on this computer.',
    ],
    ['url', { url: 'http://[::1]:3000' }, false, 'The public URL http://[::1]:3000 only works on this computer.'],
    ['url', { url: 'https://stats.example.com' }, true, 'The public URL is https://stats.example.com.'],
    ['https', {}, false, 'Belfry has no public address with HTTPS yet.'],
    ['https', { url: 'http://stats.example.com' }, false, "http://stats.example.com doesn't use HTTPS."],
    ['https', { url: 'https://stats.example.com' }, true, 'The public URL uses HTTPS.'],
    ['mail', {}, false, 'No mail server is set.'],
    [
      'mail',
      { mailHost: 'mail.example.com' },
      false,
      'The mail server mail.example.com is set, but not tested yet. Send a test email under Account → Server settings.',
    ],
    [
      'mail',
      { mailHost: 'mail.example.com', mailTest },
      true,
      'Email is sent through mail.example.com. It accepted a test email yesterday.',
    ],
    [
      'mail',
      { mailHost: 'mail.example.com', mailTest: { ...mailTest, error: 'The mail server did not respond in time.' } },
      false,
      'The last test of mail.example.com, yesterday, failed. The mail server did not respond in time.',
    ],
    ['backups', {}, false, 'There is no backup yet.'],
    ['backups', { hasOwnDatabase: true }, false, "Belfry can't know whether your PostgreSQL server is backed up."],
    ['backups', { lastBackupAt: daysAgo(0.5) }, true, 'The last backup was made today.'],
    ['backups', { lastBackupAt: daysAgo(1.5) }, true, 'The last backup was made yesterday.'],
    ['backups', { lastBackupAt: daysAgo(8) }, true, 'The last backup was made 8 days ago.'],
    ['backups', { lastBackupAt: daysAgo(9) }, false, 'The last backup was made 9 days ago.'],
    ['backups', { hasOtherBackups: true }, true, 'Backups are made in another way.'],
  ])('says the state of %s with %o', (key, facts, isDone, state) => {
    expect(describeStates(facts)[key]).toEqual({ isDone, state })
  })
})

describe('the lines to set', () => {
  const findInstructions = (deployment: Deployment) =>
    listGoLiveItems({ ...newServer, deployment }).map(({ key, instruction }) => [key, instruction?.lines] as const)

  it('belong into the configuration file of the service', () => {
    const [url, https, mail, backups] = listGoLiveItems(newServer)
    expect(url?.instruction).toEqual({
      where: 'In /etc/belfry/belfry.env:',
      lines: ['BELFRY_URL=https://stats.example.com'],
      next: 'Then run: sudo systemctl restart belfry',
    })
    expect(https?.instruction?.lines).toContain('  reverse_proxy 127.0.0.1:3000')
    expect(https?.instruction?.lines).toContain('stats.example.com {')
    expect(mail?.instruction?.lines).toEqual([
      'BELFRY_SMTP_URL=smtp://user:password@mail.example.com:587',
      'BELFRY_MAIL_FROM=Belfry <belfry@example.com>',
    ])
    expect(backups?.instruction?.lines.at(-1)).toBe(
      "15 3 * * * root install -d -m 700 /var/backups/belfry && belfry backup --config /etc/belfry/belfry.env /var/backups/belfry/belfry-backup-$(date +\\%F).gz && find /var/backups/belfry -name 'belfry-backup-*.gz' -mtime +14 -delete",
    )
  })

  it.each([
    [undefined, ''],
    ['/home/ada/100%.env', " --config '/home/ada/100\\%.env'"],
  ])(
    'are a complete crontab line for backups of a server that runs as a program, with the file %s',
    (configFile, config) => {
      const deployment: Deployment = { kind: 'program', configFile, program }
      expect(new Map(findInstructions(deployment)).get('backups')).toEqual([
        `15 3 * * * cd '/home/ada/my stats' && mkdir -p -m 700 ~/belfry-backups && BELFRY_DATA=/srv/data /usr/bin/node /home/ada/belfry/bin/belfry.js backup${config} ~/belfry-backups/belfry-backup-$(date +\\%F).gz && find ~/belfry-backups -name 'belfry-backup-*.gz' -mtime +14 -delete`,
      ])
    },
  )

  it('name the host of the public URL, unless it is an IP address', () => {
    const findHttps = (url: string) => listGoLiveItems({ ...newServer, url })[1]?.instruction
    expect(findHttps('http://stats.shop.test:3000')?.lines[0]).toBe('stats.shop.test {')
    expect(findHttps('http://stats.shop.test:3000')?.next).toMatch(
      /, and change the public URL to https:\/\/stats.shop.test$/,
    )
    expect(findHttps('http://127.0.0.1:3000')?.lines[0]).toBe('stats.example.com {')
    expect(findHttps('http://[::1]:3000')?.lines[0]).toBe('stats.example.com {')
  })

  it('belong into compose.yaml of a container', () => {
    const instructions = new Map(findInstructions({ kind: 'container', configFile: undefined, program }))
    expect(instructions.get('url')).toEqual(['BELFRY_URL: https://stats.example.com'])
    expect(instructions.get('backups')?.[1]).toContain('exec -T belfry belfry backup -')
  })

  it.each(deploymentKinds)('are known for each item and for a server that runs as %s', (kind) => {
    for (const [key, lines] of findInstructions({ kind, configFile: undefined, program }))
      expect(lines, key).not.toHaveLength(0)
  })

  it('are left out once an item is set', () => {
    const items = listGoLiveItems({ ...newServer, url: 'https://stats.example.com', mailHost: 'mail.example.com' })
    expect(items.filter(({ instruction }) => instruction === null).map(({ key }) => key)).toEqual([
      'url',
      'https',
      'mail',
    ])
  })
})
