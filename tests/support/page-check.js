/**
 * Runs in a page, after axe. `expectNoViolations` evaluates this file, because the page's Content-Security-Policy would
 * block a script element.
 *
 * Axe spends most of its time on finding out what is behind each text. For most texts, the backgrounds of their ancestors
 * are enough to know. If such a text has enough contrast, this file keeps axe from checking it. In the same way, it keeps axe
 * from checking links, buttons and fields that are large enough. Axe checks all others, so axe reports every violation.
 *
 * Axe's time also grows with the number of elements, so this file hides elements that no rule applies to: the shapes of
 * drawings and, of each long list of options, all but a few.
 */
globalThis.findViolations = (() => {
  const { Color, flattenColors, hasValidContrastRatio } = axe.commons.color
  const FIELDS =
    'input:not([type=hidden], [type=range], [type=color], [type=checkbox], [type=radio], [type=image]), select, textarea'
  /** Axe can't check the contrast of a text in front of one of these, or of a background image. */
  const IMAGES = 'img, svg, canvas, object, iframe, video'
  const BOLD_WEIGHT = 700
  /** Elements that users can focus and that axe can regard as targets of clicks. */
  const TARGETS =
    'a[href], area, button, details, summary, iframe, audio, video, embed, object, input, select, textarea, [contenteditable], [tabindex]:not(:is(main, section, dialog, div, span, p, h1, h2, h3, h4, h5, h6):not([role]))'
  /** The size, or the distance from other targets, that a target needs, in pixels. */
  const TARGET_SIZE = 24

  /** Most options of long lists, such as that of time zones, and shapes without a name or role. */
  const SURPLUS =
    'option:nth-child(n + 4):not(:checked), svg :is(path, circle, ellipse, line, polyline, polygon, rect):empty:not([id], [role], [tabindex], [aria-label], [aria-labelledby])'

  /** Texts whose contrast has to be good in the other colour scheme, too. */
  let texts
  /** Links that differ from the text around them only in their colours. */
  let colouredLinks

  let surroundings
  let boxes
  /** Elements with a background or image. */
  let painted
  let targets
  const contrasts = new Map()

  function getBox(element) {
    let box = boxes.get(element)
    if (box === undefined) {
      box = element.getBoundingClientRect()
      boxes.set(element, box)
    }
    return box
  }

  const isClear = (colour) => colour === 'rgba(0, 0, 0, 0)'
  const isOpaque = (colour) => colour.startsWith('rgb(')

  /** Returns the style of an element, and what its ancestors and itself contribute to the background of its text. */
  function findSurroundings(element) {
    const known = surroundings.get(element)
    if (known !== undefined) return known
    const style = getComputedStyle(element)
    const parent = element.parentElement
    const outer = parent === null ? { isBlended: false, layers: [], clips: [] } : findSurroundings(parent)
    const colour = style.backgroundColor
    const hasImage = style.backgroundImage !== 'none' || element.matches(IMAGES)
    let { layers } = outer
    if (isOpaque(colour)) layers = []
    if (!isClear(colour) || hasImage) layers = [...layers, { element, colour, hasImage }]
    const isClip = style.overflowX === 'hidden' && style.overflowY === 'hidden'
    const found = {
      style,
      colour,
      hasImage,
      layers,
      isBlended: outer.isBlended || style.opacity !== '1' || style.filter !== 'none' || style.mixBlendMode !== 'normal',
      clips: isClip ? [...outer.clips, element] : outer.clips,
    }
    surroundings.set(element, found)
    return found
  }

  /** Returns the boxes of the lines of an element's own text, or of a field. */
  function findTextBoxes(element) {
    if (element.matches(FIELDS)) return [getBox(element)]
    const lines = []
    for (const child of element.childNodes) {
      if (child.nodeType !== Node.TEXT_NODE || child.nodeValue.trim() === '') continue
      const range = document.createRange()
      range.selectNodeContents(child)
      lines.push(...range.getClientRects())
    }
    return lines
  }

  const intersect = (one, other) => ({
    left: Math.max(one.left, other.left),
    top: Math.max(one.top, other.top),
    right: Math.min(one.right, other.right),
    bottom: Math.min(one.bottom, other.bottom),
  })
  const overlap = (one, other) =>
    one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
  const contains = (outer, inner) =>
    outer.left <= inner.left && outer.top <= inner.top && outer.right >= inner.right && outer.bottom >= inner.bottom

  function hasContrast({ color, fontSize, fontWeight }, backgrounds) {
    const key = [color, fontSize, fontWeight, ...backgrounds].join()
    let isValid = contrasts.get(key)
    if (isValid === undefined) {
      const background = backgrounds
        .map((text) => new Color().parseString(text))
        .reduce((lower, upper) => flattenColors(upper, lower))
      const isBold = Number.parseFloat(fontWeight) >= BOLD_WEIGHT
      ;({ isValid } = hasValidContrastRatio(
        background,
        new Color().parseString(color),
        Number.parseFloat(fontSize),
        isBold,
      ))
      contrasts.set(key, isValid)
    }
    return isValid
  }

  /** Returns whether axe would find no violation of contrast in the element's text. False means that axe has to check it. */
  function passesContrast(element, textBoxes) {
    const { style, isBlended, clips, layers } = findSurroundings(element)
    const lines = textBoxes.map((line) => clips.reduce((visible, clip) => intersect(visible, getBox(clip)), line))
    const isBeneath = (layer) =>
      layer === document.documentElement ||
      layer === document.body ||
      lines.every((line) => contains(getBox(layer), line))
    const [lowest] = layers
    if (lowest === undefined || !layers.every((layer) => isBeneath(layer.element))) return false
    // Other elements can lie between the text and the background, such as the bar of a row.
    const others = painted.filter(
      (other) =>
        !other.contains(element) &&
        lowest.element.contains(other) &&
        lines.some((line) => overlap(getBox(other), line)),
    )
    if (layers.some((layer) => layer.hasImage)) return others.length === 0
    if (isBlended || !isOpaque(lowest.colour)) return false
    if (style.textShadow !== 'none' || style.webkitTextStrokeWidth !== '0px') return false
    const backgrounds = layers.map(({ colour }) => colour)
    if (!hasContrast(style, backgrounds)) return false
    return others.every((other) => {
      const { hasImage, colour, isBlended: isOtherBlended } = findSurroundings(other)
      return !hasImage && !isOtherBlended && hasContrast(style, [...backgrounds, colour])
    })
  }

  const contrastRule = axe._audit.rules.find(({ id }) => id === 'color-contrast')
  const matchesContrast = contrastRule.matches
  contrastRule.matches = (element, ...rest) => {
    if (element.localName === 'option') return false
    const textBoxes = findTextBoxes(element)
    if (textBoxes.length === 0) return false
    if (passesContrast(element, textBoxes)) {
      texts.add(element)
      return false
    }
    if (!matchesContrast.call(contrastRule, element, ...rest)) return false
    texts.add(element)
    return true
  }

  const contrastCheck = axe._audit.checks['color-contrast']
  const evaluateContrast = contrastCheck.evaluate
  contrastCheck.evaluate = function (element, ...rest) {
    let data = {}
    const setData = this.data
    this.data = (value) => {
      data = value
      setData(value)
    }
    const result = evaluateContrast.call(this, element, ...rest)
    // The background is unknown in both colour schemes, because an image or another element is in the way.
    if (result === undefined && data.bgColor === undefined) texts.delete(element)
    return result
  }

  /** Returns whether a target is large enough or far from all others. False means that axe has to check it. */
  function passesTargetSize(element) {
    const box = getBox(element)
    const isLarge = box.width >= TARGET_SIZE && box.height >= TARGET_SIZE
    const margin = isLarge ? 0 : TARGET_SIZE
    const { left, top, right, bottom } = box
    const space = { left: left - margin, top: top - margin, right: right + margin, bottom: bottom + margin }
    return targets.every((other) => other === element || !overlap(space, getBox(other)))
  }

  const sizeRule = axe._audit.rules.find(({ id }) => id === 'target-size')
  const matchesSize = sizeRule.matches
  sizeRule.matches = (element, ...rest) =>
    element.matches(TARGETS) && !passesTargetSize(element) && matchesSize.call(sizeRule, element, ...rest)

  const linkCheck = axe._audit.checks['link-in-text-block-style']
  const evaluateLink = linkCheck.evaluate
  linkCheck.evaluate = function (element, ...rest) {
    const result = evaluateLink.call(this, element, ...rest)
    if (result !== true) colouredLinks.add(element)
    return result
  }

  /**
   * Calls a function while `childNodes`, from which axe builds its tree, leaves out the surplus elements. The page itself stays as
   * it is, so the application can render in the meantime.
   */
  async function hideSurplus(surplus, run) {
    const parents = new Set(Array.from(surplus, (element) => element.parentElement))
    for (const parent of parents) {
      const value = Array.from(parent.childNodes).filter((child) => !surplus.has(child))
      Object.defineProperty(parent, 'childNodes', { value, configurable: true })
    }
    try {
      return await run()
    } finally {
      for (const parent of parents) delete parent.childNodes
    }
  }

  return async ({ rules, onlyColours }) => {
    surroundings = new Map()
    boxes = new Map()
    const surplus = new Set(document.querySelectorAll(SURPLUS))
    painted = [...document.body.querySelectorAll('*')].filter((element) => {
      if (surplus.has(element)) return false
      const { colour, hasImage, style } = findSurroundings(element)
      return style.opacity !== '0' && (!isClear(colour) || hasImage)
    })
    targets = [...document.querySelectorAll(TARGETS)]
    if (!onlyColours) {
      texts = new Set()
      colouredLinks = new Set()
    } else if (
      colouredLinks.size === 0 &&
      [...texts].every((element) => passesContrast(element, findTextBoxes(element)))
    ) {
      return []
    }
    const runOnly = onlyColours
      ? axe.getRules(rules).flatMap(({ ruleId, tags }) => (tags.includes('cat.color') ? [ruleId] : []))
      : rules
    // Without selectors and preloaded styles, a check takes less time. No rule that we use needs the styles.
    const options = { runOnly, resultTypes: ['violations'], selectors: false, preload: false }
    const { violations } = await hideSurplus(surplus, () => axe.run(document, options))
    return violations
  }
})()
