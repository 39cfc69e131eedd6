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

interface TraefikService {
  loadBalancer?: { servers: { url: string }[]; healthCheck?: { path: string } }
  failover?: { service: string; fallback: string }
}

it('the documented configurations for Traefik are valid YAML, and the entry points, services and resolvers of their routers exist', () => {
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

it('the documented configuration lets Traefik send requests for status pages to running nodes if no node is ready', () => {
  const { http } = listYamlBlocks()
    .map((block) => parse(block))
    .find((config) => config.http?.routers['status-pages'])
  const services: Record<string, TraefikService> = http.services
  const { rule, service } = http.routers['status-pages'] as TraefikRouter
  expect(rule).toBe('Host(`stats.example.com`) && PathPrefix(`/status/`) || Host(`status.example.com`)')
  const { service: main = '', fallback = '' } = services[service]?.failover ?? {}
  expect(main).toBe(http.routers.belfry.service)
  // Traefik uses the fallback only if it can tell that the main service is down.
  expect(services[main]?.loadBalancer?.healthCheck?.path).toBe('/readyz')
  expect(services[fallback]?.loadBalancer?.healthCheck?.path).toBe('/healthz')
  expect(services[fallback]?.loadBalancer?.servers).toEqual(services[main]?.loadBalancer?.servers)
})
