/** People subscribe to a status page by email, and nobody can abuse subscriptions. */
import { beforeEach, describe, expect, it } from 'vitest'
import { deleteExpired } from '../../src/app/delete-expired.ts'
import { createLockCookie } from '../../src/lib/password-lock.ts'
import { toPageLock } from '../../src/status-pages/serve/access.ts'
import { hashCheaply } from '../support/cheap-hash.ts'
import { BASE_URL, insertSubscribers, type SubscriberFixture, useSubscriberFixture } from '../support/subscribers.ts'

const startFixture = useSubscriberFixture()
let fixture: SubscriberFixture
beforeEach(async () => {
  fixture = await startFixture()
})

const countMails = async () => {
  await fixture.node.send()
  return fixture.mail.received.length
}

describe('a subscription', () => {
  it('begins after the link in the confirmation was opened and its button pressed, and ends with one click', async () => {
    await fixture.createPage()
    const { anyone } = fixture.server
    const form = await anyone.get('/status/example/subscribe')
    expect(form.status).toBe(200)
    expect(form.text).toContain('name="email"')
    expect(form.headers.get('content-security-policy')).toContain("form-action 'self'")

    const response = await fixture.subscribe('Grace@example.com')
    expect(response.status).toBe(200)
    expect(response.text).toContain('Check your inbox')
    expect(await countMails()).toBe(1)
    const [receivedMail] = fixture.mail.received
    expect(receivedMail?.to).toEqual(['Grace@example.com'])
    expect(receivedMail?.mail.subject).toBe('Confirm your subscription to Example status')

    const confirmPath = fixture.findLink(receivedMail, 'confirm')
    const question = await anyone.get(confirmPath)
    expect(question.text).toContain('Confirm subscription</button>')
    expect((await fixture.readSubscribers())[0]?.state).toBe('pending')
    expect((await anyone.call('POST', confirmPath, { form: {} })).text).toContain('You are subscribed')
    expect((await fixture.readSubscribers())[0]?.state).toBe('confirmed')
    expect((await anyone.get(confirmPath)).text).toContain('You are subscribed')

    const header = receivedMail?.raw.replace(/\r\n\s+/g, ' ').match(/^List-Unsubscribe: <(.*)>\r$/m)?.[1] ?? ''
    expect(header).toMatch(`${BASE_URL}/status/example/unsubscribe?token=`)
    expect(receivedMail?.raw).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
    expect(receivedMail?.raw).toContain('Auto-Submitted: auto-generated')
    const leavePath = header.slice(BASE_URL.length)
    expect((await anyone.get(leavePath)).text).toContain('Unsubscribe</button>')
    expect(await fixture.readSubscribers()).toHaveLength(1)
    const unsubscribeResponse = await anyone.call('POST', leavePath, {
      body: '--x\r\n\r\nanything\r\n--x--',
      headers: { 'content-type': 'multipart/form-data; boundary=x', origin: 'https://mail.example' },
    })
    expect(unsubscribeResponse.status).toBe(200)
    expect(unsubscribeResponse.text).toContain('We deleted your address')
    expect(await fixture.readSubscribers()).toEqual([])
    // Mail programs may repeat the request. After it, the pages behind the links in the email say that the person is
    // not subscribed.
    expect((await anyone.call('POST', leavePath, { body: '' })).status).toBe(200)
    for (const path of [confirmPath, leavePath]) {
      const laterResponse = await anyone.get(path)
      expect(laterResponse.status).toBe(404)
      expect(laterResponse.text).toContain('You are not subscribed')
    }
    expect(await countMails()).toBe(1)
  })

  it('accepts and returns JSON', async () => {
    const { shopId } = await fixture.createPage()
    const { anyone } = fixture.server
    const post = (json: object) =>
      anyone.post('/status/example/subscribe', json, { headers: { 'x-forwarded-for': '192.0.2.1' } })
    const response = await post({ email: 'grace@example.com', monitor_ids: [shopId] })
    expect(response.status).toBe(202)
    expect(response.body.data.message).toContain('Check your inbox')
    expect((await post({ email: 'nobody' })).body.errors).toHaveProperty('email')
    expect((await post({ email: 'grace@example.com', monitor_ids: [999] })).status).toBe(422)
    await countMails()
    const [receivedMail] = fixture.mail.received
    const confirmResponse = await anyone.post(fixture.findLink(receivedMail, 'confirm'), {})
    expect(confirmResponse.body).toEqual({ data: { state: 'confirmed' } })
  })

  it('is for the monitors that the person chose, until they change it', async () => {
    const { shopId, ordersId } = await fixture.createPage()
    const { anyone, services } = fixture.server
    await fixture.subscribe('grace@example.com', { monitorIds: [shopId] })
    await countMails()
    await anyone.call('POST', fixture.findLink(fixture.mail.received[0], 'confirm'))
    const [subscriber] = await fixture.readSubscribers()
    expect(subscriber?.all_monitors).toBe(false)

    // Nobody else can change the choice of a confirmed subscriber.
    await fixture.subscribe('grace@example.com', { monitorIds: [ordersId] })
    const readChoice = async () =>
      (await services.db.query('select monitor_id from status_subscriber_monitors order by 1')).map(
        (r) => r['monitor_id'],
      )
    expect(await readChoice()).toEqual([shopId])

    const confirmPage = await anyone.get(fixture.findLink(fixture.mail.received[0], 'confirm'))
    const managePath = `/status/example/${/href="(manage\?token=[^"]+)"/.exec(confirmPage.text)?.[1]}`
    const managePage = await anyone.get(managePath)
    expect(managePage.text).toMatch(new RegExp(`value="${shopId}" checked`))
    expect(managePage.text).not.toMatch(new RegExp(`value="${ordersId}" checked`))
    expect((await anyone.call('POST', managePath, { form: { monitor_ids: String(ordersId) } })).text).toContain(
      'Saved.',
    )
    expect(await readChoice()).toEqual([ordersId])
    await anyone.call('POST', managePath, { form: '' })
    expect((await fixture.readSubscribers())[0]?.all_monitors).toBe(true)
    // A link for one purpose can't be used for another.
    expect((await anyone.call('POST', managePath.replace('manage', 'unsubscribe'))).text).toContain('not subscribed')
    expect(await fixture.readSubscribers()).toHaveLength(1)
  })
})

describe('the links of a subscriber', () => {
  it('show nothing of a page that became private, but let people leave', async () => {
    const { pageId, shopId } = await fixture.createPage({
      title: 'Secret title',
      slug: 'secret-slug',
      accentColor: '#0a7d4f',
    })
    const { anyone, services } = fixture.server
    await fixture.subscribe('grace@example.com', { slug: 'secret-slug', monitorIds: [shopId] })
    await countMails()
    const confirmPath = fixture.findLink(fixture.mail.received[0], 'confirm')
    const confirmResponse = await anyone.call('POST', confirmPath, { form: {} })
    const managePath = `/status/old/${/href="(manage\?token=[^"]+)"/.exec(confirmResponse.text)?.[1]}`
    await services.db.query('update status_pages set privacy = 1 where id = $1', [pageId])
    const managePage = await anyone.get(managePath)
    const leavePath = `/status/old/${/action="(unsubscribe\?token=[^"]+)"/.exec(managePage.text)?.[1]}`
    const oldConfirmPath = confirmPath.replace('secret-slug', 'old')
    const responses = [
      managePage,
      await anyone.call('POST', managePath, { form: '' }),
      await anyone.get(oldConfirmPath),
      await anyone.call('POST', oldConfirmPath, { form: {} }),
      await anyone.get(leavePath),
    ]
    const choices = await services.db.query('select monitor_id from status_subscriber_monitors')
    responses.push(await anyone.call('POST', leavePath, { body: '' }))
    const statusesAndLeaks = responses.map(({ status, text }) => [
      status,
      ...new Set(text.match(/Shop|Orders|Secret title|secret-slug|0a7d4f/g)),
    ])
    expect(statusesAndLeaks).toEqual([[200], [404], [200], [200], [200], [200]])
    expect(choices).toEqual([{ monitor_id: shopId }])
    expect(managePage.text).toContain('This status page is private now.')
    expect(managePage.text).toContain('Unsubscribe</button>')
    expect(await fixture.readSubscribers()).toEqual([])
  })
})

describe('requests to subscribe', () => {
  it('with one address cause one confirmation a day, three in 30 days, and none once the address is confirmed', async () => {
    await fixture.createPage()
    const { clock, services } = fixture.server
    const firstResponse = await fixture.subscribe('grace@example.com')
    const texts = [firstResponse.text]
    for (let n = 0; n < 3; n++) texts.push((await fixture.subscribe('GRACE@example.com')).text)
    expect(new Set(texts).size).toBe(1)
    expect(await countMails()).toBe(1)
    clock.advance({ hours: 25 })
    for (let n = 0; n < 2; n++) await fixture.subscribe('grace@example.com')
    expect(await countMails()).toBe(2)
    // Unconfirmed addresses are deleted after a week, but their limit is not.
    clock.advance({ days: 7 })
    await deleteExpired(services)
    expect(await fixture.readSubscribers()).toEqual([])
    await fixture.subscribe('grace@example.com')
    expect(await countMails()).toBe(3)
    clock.advance({ days: 2 })
    expect((await fixture.subscribe('grace@example.com')).text).toBe(firstResponse.text)
    expect(await countMails()).toBe(3)
    const ids = fixture.mail.received.map(({ mail }) => mail.messageId)
    expect(new Set(ids).size).toBe(3)
    clock.advance({ days: 30 })
    await deleteExpired(services)
    await fixture.subscribe('grace@example.com')
    expect(await countMails()).toBe(4)

    await fixture.server.anyone.call('POST', fixture.findLink(fixture.mail.received[3], 'confirm'))
    clock.advance({ days: 60 })
    expect((await fixture.subscribe('grace@example.com')).text).toBe(firstResponse.text)
    expect(await countMails()).toBe(4)
  })

  it('with one address at many pages cause at most five confirmations a day', async () => {
    for (let n = 0; n < 7; n++) await fixture.createPage({ slug: `page-${n}` })
    for (let n = 0; n < 7; n++) await fixture.subscribe('grace@example.com', { slug: `page-${n}` })
    expect(await countMails()).toBe(5)
    expect(await fixture.readSubscribers()).toHaveLength(7)
  })

  it('from one network and to one page are limited, also if they are concurrent', async () => {
    await fixture.createPage()
    const sameNetworkHeaders = { 'x-forwarded-for': '2001:db8:ffff:1::5' }
    const responses = await Promise.all(
      Array.from({ length: 22 }, (_, n) =>
        fixture.subscribe(`person-${n}@example.com`, { headers: sameNetworkHeaders }),
      ),
    )
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(20)
    const refusedResponse = responses.find(({ status }) => status === 429)
    expect(Number(refusedResponse?.headers.get('retry-after'))).toBeGreaterThan(0)
    const repeatedResponses = await Promise.all(Array.from({ length: 4 }, () => fixture.subscribe('same@example.com')))
    expect(repeatedResponses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await countMails()).toBe(21)

    const { counter } = fixture.server.services
    const [page] = await fixture.server.services.db.query<{ id: number }>('select id from status_pages')
    const takePage = () => counter.take(`subscribe-page:${page?.id}`, { count: 300, windowSeconds: 3_600 }).allowed
    while (takePage());
    expect((await fixture.subscribe('late@example.com')).status).toBe(429)
  })

  it('are refused for every address once a page has too many confirmed subscribers', async () => {
    const { pageId } = await fixture.createPage()
    const { db } = fixture.server.services
    await fixture.subscribe('known@example.com')
    const prefixes = ['a', 'b', 'c', 'd']
    for (const prefix of prefixes) await insertSubscribers(db, fixture.owner.id, pageId, { count: 5_000, prefix })
    const responses = [await fixture.subscribe('new@example.com'), await fixture.subscribe('known@example.com')]
    expect(responses.map(({ status }) => status)).toEqual([409, 409])
    expect(responses[0]?.text).toContain('This page has reached its limit of subscribers.')
  })

  it('with invalid addresses get an error that names the field, and the form keeps what was typed', async () => {
    await fixture.createPage()
    const addresses = [
      '',
      'grace',
      'a@example.com,b@example.com',
      'a@example.com\r\nBcc: b@example.com',
      'a b@example.com',
    ]
    for (const email of [...addresses, `${'x'.repeat(250)}@example.com`]) {
      const response = await fixture.subscribe(email)
      expect(response.status).toBe(422)
      expect(response.text).toContain('Enter one email address')
    }
    expect((await fixture.subscribe('', { form: { email: ['a@example.com', 'b@example.com'] } })).status).toBe(422)
    expect((await fixture.subscribe('<script>')).text).toContain('value="&lt;script&gt;"')
    expect(await fixture.readSubscribers()).toEqual([])
  })

  it('from other sites are refused, but not from the custom domain of the page', async () => {
    await fixture.createPage({ customDomain: 'status.example.net' })
    const send = (headers: Record<string, string>) => fixture.subscribe('grace@example.com', { headers })
    expect((await send({ origin: 'https://evil.example' })).status).toBe(403)
    expect((await send({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await send({ origin: 'null' })).status).toBe(403)
    expect(await fixture.readSubscribers()).toEqual([])
    expect((await send({ origin: BASE_URL, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    const { customDomains, db } = fixture.server.services
    await customDomains.refresh(db)
    const ownHost = { host: 'status.example.net', 'x-forwarded-proto': 'https', origin: 'https://status.example.net' }
    expect((await send({ ...ownHost, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    expect((await send({ ...ownHost, origin: 'https://evil.example' })).status).toBe(403)
  })
})

describe('access to subscriptions', () => {
  it('of a private page is refused as if the page did not exist, but its old links still work', async () => {
    const { pageId } = await fixture.createPage()
    const { anyone, services } = fixture.server
    await fixture.subscribe('grace@example.com')
    await countMails()
    await services.db.query(`update status_pages set privacy = 1, slug = 'renamed' where id = $1`, [pageId])
    const missingPageResponses = [
      await anyone.get('/status/missing/subscribe'),
      await fixture.subscribe('a@example.com', { slug: 'missing' }),
    ]
    const privatePageResponses = [
      await anyone.get('/status/renamed/subscribe'),
      await fixture.subscribe('a@example.com', { slug: 'renamed' }),
    ]
    expect(privatePageResponses.map(({ status, text }) => [status, text])).toEqual(
      missingPageResponses.map(({ status, text }) => [status, text]),
    )
    expect(missingPageResponses.map(({ status }) => status)).toEqual([404, 404])
    const confirmResponse = await anyone.call('POST', fixture.findLink(fixture.mail.received[0], 'confirm'))
    expect(confirmResponse.status).toBe(200)
    expect((await fixture.readSubscribers())[0]?.state).toBe('confirmed')
  })

  it('of a page with a password needs the cookie of that page', async () => {
    const passwordHash = await hashCheaply('open sesame')
    const { pageId } = await fixture.createPage({ privacy: 2, passwordHash })
    const { anyone, clock, services } = fixture.server
    expect((await fixture.subscribe('grace@example.com')).status).toBe(401)
    const form = await anyone.get('/status/example/subscribe')
    expect([form.status, form.headers.get('location')]).toEqual([303, '../example'])
    expect(await fixture.readSubscribers()).toEqual([])
    const { name, value } = createLockCookie(services.secret, toPageLock({ pageId, passwordHash }), clock.now())
    const cookie = `${name}=${value}`
    expect((await anyone.get('/status/example/subscribe', { headers: { cookie } })).status).toBe(200)
    expect((await fixture.subscribe('grace@example.com', { headers: { cookie } })).status).toBe(200)
    await countMails()
    const confirmResponse = await anyone.call('POST', fixture.findLink(fixture.mail.received[0], 'confirm'))
    expect(confirmResponse.text).toContain('You are subscribed')
  })

  it('lets the owner list and remove subscribers', async () => {
    const { pageId } = await fixture.createPage()
    const { owner, server } = fixture
    for (const name of ['ada', 'grace', 'alan']) await fixture.subscribe(`${name}@example.com`)
    await countMails()
    await server.anyone.call('POST', fixture.findLink(fixture.mail.received[0], 'confirm'))
    const path = `/api/status-pages/${pageId}/subscribers`
    const { body } = await owner.session.get(`${path}?search=A&pageSize=2`)
    expect(body.data.map((subscriber: { email: string }) => subscriber.email)).toEqual([
      'alan@example.com',
      'grace@example.com',
    ])
    expect(body.meta).toEqual({
      page: 1,
      pageSize: 2,
      total: 3,
      totalPages: 2,
      counts: { pending: 2, confirmed: 1, bounced: 0 },
    })
    const confirmedList = await owner.session.get(`${path}?state=confirmed`)
    expect(confirmedList.body.data).toMatchObject([{ state: 'confirmed', monitor_ids: null }])
    const { id } = confirmedList.body.data[0]
    expect((await owner.session.delete(`${path}/${id}`)).status).toBe(200)
    expect((await owner.session.delete(`${path}/${id}`)).status).toBe(404)
    expect(await fixture.readSubscribers()).toHaveLength(2)

    const stranger = await server.createUser('stranger')
    expect((await stranger.session.get(path)).status).toBe(404)
    const subscriberId = (await fixture.readSubscribers())[0]?.id
    expect((await stranger.session.delete(`${path}/${subscriberId}`)).status).toBe(404)
    expect((await (await owner.withKey('monitors:read')).get(path)).status).toBe(403)
  })
})
