import { createConfig, lintFromString } from '@redocly/openapi-core'
// Don't update Spectral (nor its packages in `overrides` of package.json): later versions install a package that reports every
// installation to a third party.
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core'
import spectralRulesets from '@stoplight/spectral-rulesets'
import { expect, it } from 'vitest'
import { shareTestServer } from '../support/shared-server.ts'

/** The linters run inside this process, and the document refers to nothing outside itself, so nothing is loaded from a network. */
async function lintWithRedocly(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  return problems.map(({ severity, ruleId, message, location: [place] }) =>
    [severity, ruleId, place?.pointer, message].join(' '),
  )
}

async function lintWithSpectral(source: string): Promise<string[]> {
  const spectral = new spectralCore.Spectral()
  // Spectral's own types don't allow its own rulesets.
  spectral.setRuleset({ extends: [[spectralRulesets.oas as RulesetDefinition, 'recommended']] })
  const problems = await spectral.run(source)
  return problems.map(({ code, path, message }) => [code, path.join('/'), message].join(' '))
}

it('the OpenAPI document passes the recommended rules of Redocly and Spectral', async () => {
  const server = await shareTestServer()
  const { text } = await server.anyone.get('/api/openapi.json')
  await server.close()
  expect(await lintWithRedocly(text)).toEqual([])
  expect(await lintWithSpectral(text)).toEqual([])
})
