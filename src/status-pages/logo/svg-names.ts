/**
 * The elements and attributes of SVG that a logo can have. There are none that run scripts, animate, link, or load anything: no script,
 * foreignObject, image, a, animate or set.
 */

const shapes = ['path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon', 'text', 'use']
const containers = ['svg', 'g', 'defs', 'symbol', 'switch', 'clipPath', 'mask', 'pattern', 'marker', 'style']
const paints = ['linearGradient', 'radialGradient', 'stop']
const texts = ['tspan', 'title', 'desc']
const filters = [
  ...['filter', 'feBlend', 'feColorMatrix', 'feComposite', 'feDropShadow', 'feFlood', 'feGaussianBlur', 'feMerge'],
  ...['feMergeNode', 'feOffset'],
]

export const shapeElements: ReadonlySet<string> = new Set(shapes)
export const allowedElements: ReadonlySet<string> = new Set([...shapes, ...containers, ...paints, ...texts, ...filters])
/** Only these contain text. Elsewhere, text is not visible. */
export const textElements: ReadonlySet<string> = new Set(['text', 'tspan', 'title', 'desc'])

/** Attributes that can also be properties in CSS. */
const properties = [
  ...['clip-path', 'clip-rule', 'color', 'color-interpolation', 'color-interpolation-filters', 'display', 'direction'],
  ...[
    'dominant-baseline',
    'fill',
    'fill-opacity',
    'fill-rule',
    'filter',
    'flood-color',
    'flood-opacity',
    'font-family',
  ],
  ...[
    'font-size',
    'font-stretch',
    'font-style',
    'font-variant',
    'font-weight',
    'isolation',
    'letter-spacing',
    'marker-end',
  ],
  ...['marker-mid', 'marker-start', 'mask', 'mask-type', 'mix-blend-mode', 'opacity', 'overflow', 'paint-order'],
  ...[
    'shape-rendering',
    'stop-color',
    'stop-opacity',
    'stroke',
    'stroke-dasharray',
    'stroke-dashoffset',
    'stroke-linecap',
  ],
  ...['stroke-linejoin', 'stroke-miterlimit', 'stroke-opacity', 'stroke-width', 'text-anchor', 'text-decoration'],
  ...['text-rendering', 'transform', 'transform-origin', 'vector-effect', 'visibility', 'word-spacing', 'writing-mode'],
]

const otherAttributes = [
  ...[
    'clipPathUnits',
    'cx',
    'cy',
    'd',
    'dx',
    'dy',
    'filterUnits',
    'fr',
    'fx',
    'fy',
    'gradientTransform',
    'gradientUnits',
  ],
  ...['height', 'in', 'in2', 'k1', 'k2', 'k3', 'k4', 'lengthAdjust', 'markerHeight', 'markerUnits', 'markerWidth'],
  ...['maskContentUnits', 'maskUnits', 'mode', 'offset', 'operator', 'orient', 'pathLength', 'patternContentUnits'],
  ...[
    'patternTransform',
    'patternUnits',
    'points',
    'preserveAspectRatio',
    'primitiveUnits',
    'r',
    'refX',
    'refY',
    'result',
  ],
  ...[
    'rotate',
    'rx',
    'ry',
    'spreadMethod',
    'stdDeviation',
    'textLength',
    'type',
    'values',
    'viewBox',
    'width',
    'x',
    'x1',
  ],
  ...['x2', 'y', 'y1', 'y2'],
]

export const allowedProperties: ReadonlySet<string> = new Set(properties)
/** Besides `id`, `class`, `style` and `href`, whose values have their own rules. */
export const allowedAttributes: ReadonlySet<string> = new Set([...properties, ...otherAttributes])
