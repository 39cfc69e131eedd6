import { describe, expect, it } from 'vitest'
import {
  isSetupComplete,
  isSnippetInstalled,
  listSetupSteps,
  type SetupProgress,
  setupStepKeys,
} from './setup-steps.ts'

const createProgress = (done: readonly string[]) =>
  Object.fromEntries(setupStepKeys.map((key) => [key, done.includes(key)])) as unknown as SetupProgress
const list = (done: readonly string[], domain?: string) => listSetupSteps(createProgress(done), domain)
const required = ['website', 'snippet', 'visit', 'monitor', 'channel', 'live']

describe('the setup steps', () => {
  it('are the same, whatever is done already', () => {
    const titles = list([]).map(({ title }) => title)
    expect(list(required, 'example.com').map(({ title }) => title)).toEqual(titles)
    expect(new Set(titles).size).toBe(setupStepKeys.length)
  })

  it.each([
    [[], 'website'],
    [['website'], 'snippet'],
    [['website', 'monitor'], 'snippet'],
    [['website', 'snippet', 'visit'], 'monitor'],
    [required, undefined],
  ])('after %j continue with %s', (done, expected) => {
    expect(list(done).find(({ isCurrent }) => isCurrent)?.key).toBe(expected)
  })

  it('are complete without the optional ones', () => {
    expect(isSetupComplete(list(required))).toBe(true)
    expect(isSetupComplete(list(required.slice(1)))).toBe(false)
    expect(isSetupComplete(listSetupSteps({ ...createProgress(required), channel: undefined }, undefined))).toBe(false)
  })

  it('begin with a website if there is none, and else lead to its pages', () => {
    const getPaths = (domain?: string) => Object.fromEntries(list([], domain).map(({ key, href }) => [key, href]))
    expect(getPaths()).toMatchObject({ snippet: '/websites/new', monitor: '/monitors/new', report: '/websites/new' })
    expect(getPaths('example.com')).toMatchObject({
      snippet: '/example.com',
      monitor: '/monitors/new?url=https%3A%2F%2Fexample.com%2F',
      report: '/example.com/settings',
    })
  })
})

describe('the snippet', () => {
  const nothing = { hasVisit: false, isVerified: false, arrivals: [] }
  it.each([
    [nothing, false],
    [{ ...nothing, hasVisit: true, arrivals: undefined }, true],
    [{ ...nothing, isVerified: true, arrivals: undefined }, true],
    [{ ...nothing, arrivals: undefined }, undefined],
    [{ ...nothing, arrivals: [{ reason: 'unknown_site' as const }, { reason: 'bot' as const }] }, true],
    [{ ...nothing, arrivals: [{ reason: 'unknown_site' as const }, { reason: 'other_website' as const }] }, false],
  ])('with %j is installed: %s', (evidence, expected) => {
    expect(isSnippetInstalled(evidence)).toBe(expected)
  })
})
