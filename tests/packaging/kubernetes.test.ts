/** Checks the Kubernetes manifests without a cluster: against the API's schemas, against each other, and against Belfry's settings. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { readConfig } from '../../src/config/config.ts'
import { isKnownName } from '../../src/config/unknown-settings.ts'
import { type KubernetesObject, listSchemaErrors } from './kubernetes-schemas.ts'

const folder = resolve(import.meta.dirname, '../../packaging/kubernetes')
const roles = ['web', 'checker', 'worker']

// biome-ignore lint/suspicious/noExplicitAny: the schemas check the shape of manifests
type Manifest = KubernetesObject & Record<string, any>

function readManifests(file: string): Manifest[] {
  return parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS()
  })
}

const files = readdirSync(folder).filter((file) => file !== 'kustomization.yaml')
const manifests = files.flatMap(readManifests)

function get(kind: string, name: string): Manifest {
  const manifest = manifests.find((candidate) => candidate.kind === kind && candidate.metadata.name === name)
  if (manifest === undefined) throw new Error(`There is no ${kind} ${name}.`)
  return manifest
}

const secrets = { DATABASE_URL: 'postgres://belfry:secret@db.example.com/belfry', BELFRY_SECRET: 'x'.repeat(32) }

/** Returns the environment of a container, as Kubernetes creates it. */
function readEnvironment(role: string, secretValues: Record<string, string> = secrets): Record<string, string> {
  const [container] = get('Deployment', `belfry-${role}`)['spec'].template.spec.containers
  const references = container.envFrom.map((source: Record<string, { name: string }>) => JSON.stringify(source))
  expect(references).toEqual(['{"configMapRef":{"name":"belfry"}}', '{"secretRef":{"name":"belfry"}}'])
  const variables = container.env.map(({ name, value }: { name: string; value: string }) => [name, value])
  return { ...get('ConfigMap', 'belfry')['data'], ...secretValues, ...Object.fromEntries(variables) }
}

describe('the Kubernetes manifests', () => {
  it.each(files)('in %s match the schemas of the API', async (file) => {
    for (const manifest of readManifests(file)) expect(await listSchemaErrors(manifest)).toEqual([])
  })

  it('would not match the schemas with a misspelled field, a missing field or a value of another type', async () => {
    const deployment = structuredClone(get('Deployment', 'belfry-web'))
    const podSpec = deployment['spec'].template.spec
    podSpec.containers[0].securityContext.readOnlyRootFileSystem = true
    podSpec.terminationGracePeriodSeconds = '18'
    delete deployment['spec'].selector
    const container = '/spec/template/spec/containers/0'
    expect((await listSchemaErrors(deployment)).sort()).toEqual(
      [
        `${container}/securityContext must NOT have additional properties: readOnlyRootFileSystem`,
        "/spec must have required property 'selector'",
        '/spec/template/spec/terminationGracePeriodSeconds must be integer',
      ].sort(),
    )
  })

  it.each(roles)('give the pods of the role %s settings that Belfry accepts', (role) => {
    const environment = readEnvironment(role)
    expect(Object.keys(environment).filter((name) => !isKnownName(name))).toEqual([])
    const config = readConfig(environment)
    expect([...config.roles]).toEqual([role])
    const { spec } = get('Deployment', `belfry-${role}`)['spec'].template
    const [container] = spec.containers
    expect(spec.terminationGracePeriodSeconds).toBe(config.drainSeconds + 10)
    expect(container.ports).toEqual([{ name: 'http', containerPort: config.port }])
    const { startupProbe, readinessProbe } = container
    const startSeconds = startupProbe.periodSeconds * startupProbe.failureThreshold
    expect(startSeconds).toBeGreaterThan(config.databaseWaitSeconds)
    // While the database doesn't respond, /readyz responds only after the database timeout.
    expect(readinessProbe.timeoutSeconds).toBeGreaterThan(config.database.timeoutMs / 1000 + 1)
    if (role === 'web') {
      const noticedAfter = readinessProbe.periodSeconds * readinessProbe.failureThreshold
      expect(config.drainSeconds).toBeGreaterThanOrEqual(noticedAfter + 2)
    }
  })

  it.each(roles)('migrate the database before the role %s starts, where no probe limits the time', (role) => {
    const { spec } = get('Deployment', `belfry-${role}`)['spec'].template
    const [container] = spec.containers
    expect(spec.initContainers).toEqual([
      {
        name: 'migrate',
        image: container.image,
        args: ['migrate'],
        envFrom: container.envFrom,
        resources: container.resources,
        securityContext: container.securityContext,
        volumeMounts: container.volumeMounts,
      },
    ])
  })

  it('trust no private network, and let only the ingress controller connect', () => {
    const { trustedProxies } = readConfig(readEnvironment('web'))
    // An example network (RFC 5737), which nobody uses.
    expect(trustedProxies).toEqual(['192.0.2.0/28'])
    const { podSelector, ingress } = get('NetworkPolicy', 'belfry-web')['spec']
    expect(podSelector.matchLabels).toEqual(get('Deployment', 'belfry-web')['spec'].selector.matchLabels)
    expect(ingress).toEqual([{ from: [{ namespaceSelector: expect.anything() }], ports: [{ port: 'http' }] }])
  })

  it('let Belfry refuse the placeholders of the secret', () => {
    const placeholders = get('Secret', 'belfry')['stringData']
    expect(Object.keys(placeholders)).toEqual(Object.keys(secrets))
    expect(() => readConfig(readEnvironment('web', placeholders))).toThrow(/DATABASE_URL.*BELFRY_SECRET/s)
  })

  it.each(roles)('run the role %s without privileges, and probe what it serves', (role) => {
    const { metadata, spec } = get('Deployment', `belfry-${role}`)['spec'].template
    const [container] = spec.containers
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(spec.enableServiceLinks).toBe(false)
    const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((name) => container[name].httpGet)
    const port = 'http'
    expect(probes).toEqual([
      { path: '/healthz', port },
      { path: '/healthz', port },
      { path: '/readyz', port },
    ])
    const mounts = container.volumeMounts.map(({ name, mountPath }: Record<string, string>) => [name, mountPath])
    expect(mounts).toEqual([
      ['data', '/data'],
      ['tmp', '/tmp'],
    ])
    expect(spec.volumes.map(({ name }: { name: string }) => name)).toEqual(['data', 'tmp'])
    const selectors = [
      get('Deployment', `belfry-${role}`)['spec'].selector.matchLabels,
      get('PodDisruptionBudget', `belfry-${role}`)['spec'].selector.matchLabels,
      spec.topologySpreadConstraints[0].labelSelector.matchLabels,
    ]
    expect(selectors).toEqual([metadata.labels, metadata.labels, metadata.labels])
    expect(metadata.labels['app.kubernetes.io/component']).toBe(role)
  })

  it('lead requests from the ingress through the services to the pods of the role web', () => {
    const { rules, tls } = get('Ingress', 'belfry')['spec']
    const paths: { path: string; backend: { service: { name: string } } }[] = rules[0].http.paths
    expect(paths.map(({ path, backend }) => [path, backend.service.name])).toEqual([
      ['/status/', 'belfry-status-pages'],
      ['/', 'belfry'],
    ])
    for (const { backend } of paths) {
      const service = get('Service', backend.service.name)['spec']
      expect(service.selector).toEqual(get('Deployment', 'belfry-web')['spec'].template.metadata.labels)
      expect(service.ports).toEqual([{ name: 'http', port: 80, targetPort: 'http' }])
      expect(backend.service).toMatchObject({ port: { name: service.ports[0].name } })
    }
    // Without the database no pod is ready, and pods serve only status pages.
    expect(get('Service', 'belfry-status-pages')['spec'].publishNotReadyAddresses).toBe(true)
    expect(get('Service', 'belfry')['spec'].publishNotReadyAddresses).toBeUndefined()
    expect(`https://${rules[0].host}`).toBe(get('ConfigMap', 'belfry')['data'].BELFRY_URL)
    expect(tls[0].hosts).toEqual([rules[0].host])
  })

  it('are applied together, except the examples', () => {
    const [kustomization] = readManifests('kustomization.yaml') as [Manifest]
    expect([...kustomization['resources']].sort()).toEqual(files.filter((file) => !file.includes('.example.')).sort())
    const [image] = kustomization['images']
    for (const role of roles) {
      expect(get('Deployment', `belfry-${role}`)['spec'].template.spec.containers[0].image).toBe(image.name)
    }
  })
})
