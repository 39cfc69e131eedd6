import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../tests/support/server.ts'
import { createJob, jobs } from './jobs.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env: { BELFRY_ROLES: 'web,worker' } })
})
afterAll(() => server.close())

describe('the table of jobs', () => {
  it('has a unique name for each job', () => {
    expect(new Set(jobs.map(({ name }) => name)).size).toBe(jobs.length)
  })

  it.each(jobs.map(({ name }) => name))('has the job "%s", which runs without an error', async (name) => {
    await createJob(name, server.services).run()
    expect(server.logLines.filter((line) => line.includes('job failed'))).toEqual([])
  })

  it('has no job with an unknown name', () => {
    expect(() => createJob('count sheep', server.services)).toThrow('No job is named "count sheep".')
  })
})
