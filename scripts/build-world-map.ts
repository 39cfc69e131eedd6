/** npm run build:world-map: writes the country outlines for the visitor map in a compact form. Their source is Natural Earth (public domain). */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { geoEqualEarth, geoPath } from 'd3-geo'
import countries from 'i18n-iso-countries'
import { feature } from 'topojson-client'

const require = createRequire(import.meta.url)

type World = Parameters<typeof feature>[0] & { objects: { countries: { type: 'GeometryCollection' } } }
type Shape = GeoJSON.Feature<GeoJSON.Geometry, { name: string }>

const readShapes = (name: string): Shape[] => {
  const world: World = JSON.parse(readFileSync(require.resolve(`world-atlas/${name}.json`), 'utf8'))
  return (feature(world, world.objects.countries as never) as unknown as GeoJSON.FeatureCollection).features as Shape[]
}

/** Kosovo has no ISO number, so it is recognised by name. */
const findCountryCode = ({ id, properties: { name } }: Shape): string | undefined =>
  name === 'Kosovo' ? 'XK' : id === undefined ? undefined : countries.numericToAlpha2(`${id}`)

const WIDTH = 1_000
const isInhabited = (shape: Shape) => findCountryCode(shape) !== 'AQ'
const shapes = readShapes('countries-110m').filter(isInhabited)
const projection = geoEqualEarth().fitWidth(WIDTH, { type: 'FeatureCollection', features: shapes } as never)
const draw = geoPath(projection).digits(1)

/** Rewrites a path with relative integer steps, which takes a third of the space and is still precise enough for a screen. */
function compactPath(path: string): string {
  return path.replaceAll(/M([^MZ]*)Z?/g, (_all, line: string) => {
    const points = line.split('L').map((point) => point.split(',').map((text) => Math.round(Number(text))))
    let [x = 0, y = 0] = points[0] ?? []
    const start = `M${x} ${y}l`
    const steps = points.slice(1).flatMap(([nextX = 0, nextY = 0]) => {
      const [dx, dy] = [nextX - x, nextY - y]
      ;[x, y] = [nextX, nextY]
      return dx === 0 && dy === 0 ? [] : [`${dx}${dy < 0 ? '' : ' '}${dy}`]
    })
    return steps.length < 2 ? '' : `${start}${steps.join(' ').replaceAll(' -', '-')}z`
  })
}
const [[, top], [, bottom]] = draw.bounds({ type: 'FeatureCollection', features: shapes } as never)

const outlines: [string, string][] = []
const pathsWithoutCode: string[] = []
for (const shape of shapes) {
  const code = findCountryCode(shape)
  const path = compactPath(draw(shape) ?? '')
  if (code === undefined) pathsWithoutCode.push(path)
  else if (path !== '') outlines.push([code, path])
}

const outlinedCodes = new Set(outlines.map(([code]) => code))
/** Countries that are too small for an outline get a dot. */
const dots = readShapes('countries-50m')
  .filter(isInhabited)
  .flatMap((shape): [string, number, number][] => {
    const code = findCountryCode(shape)
    if (code === undefined || outlinedCodes.has(code)) return []
    const [x, y] = draw.centroid(shape)
    return [[code, Math.round(x), Math.round(y)]]
  })

const worldMap = {
  viewBox: [0, Math.floor(top), WIDTH, Math.ceil(bottom - top)].join(' '),
  outlines: Object.fromEntries(outlines.toSorted()),
  others: pathsWithoutCode.join(''),
  dots: dots.toSorted(),
}
writeFileSync(new URL('../web/charts/world.json', import.meta.url), `${JSON.stringify(worldMap)}\n`)
console.log(`${outlines.length} outlines and ${dots.length} dots in web/charts/world.json`)
