/** Reads the configurations for Traefik in docs/proxies.md. Debian 12 has no Traefik that could run them. */
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { listYamlBlocks } from './support/documented-proxies.ts'

interface TraefikRouter {
  rule: string
  entryPoints: string[]
  service: string
  tls: { certResolver: string }
}

it('documents Traefik in valid YAML, with routers whose entry points, services and resolvers exist', () => {
  const [staticConfig, ...dynamicConfigs] = listYamlBlocks().map((block) => parse(block, { strict: true }))
  expect(dynamicConfigs).toHaveLength(4)
  const [{ http: root }] = dynamicConfigs
  for (const { http } of dynamicConfigs) {
    const services = { ...root.services, ...http.services }
    for (const { rule, entryPoints, service, tls } of Object.values<TraefikRouter>(http.routers)) {
      expect(rule).toMatch(/^Host\(`st\w+\.example\.com`\)/)
      for (const name of entryPoints) expect(staticConfig.entryPoints).toHaveProperty(name)
      expect(services).toHaveProperty(service)
      expect(staticConfig.certificatesResolvers).toHaveProperty(tls.certResolver)
    }
  }
})
