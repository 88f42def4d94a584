// What the page does beyond showing: figures at the pointer, switches, a zoom.
// Positions are pixels of the SVG's viewBox. A zoom maps p to scale * p + shift, the same scale for
// both axes: lines keep their slope, and labels along them their angle.
(() => {
  'use strict';

  const svg = document.querySelector('svg.chart');
  const view = document.getElementById('view');
  const tooltip = document.getElementById('tooltip');
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const numbers = text => text.match(/-?[\d.]+(e[-+]?\d+)?/g).map(Number);
  const rounded = value => Math.round(value * 100) / 100;
  const limited = (value, low, high) => Math.min(Math.max(value, low), high);

  const [left, top, width, height] = numbers(svg.dataset.frame);
  const right = rounded(left + width);
  const bottom = rounded(top + height);
  const inFrame = ([x, y]) => x >= left - 0.5 && x <= right + 0.5 &&
                              y >= top - 0.5 && y <= bottom + 0.5;

  /// Where an event happened.
  const positionOf = event => {
    const at = new DOMPoint(event.clientX, event.clientY)
      .matrixTransform(svg.getScreenCTM().inverse());
    return [at.x, at.y];
  };

  // ---- what a zoom moves ----

  const largestScale = 32;
  let zoom = {scale: 1, x: 0, y: 0};
  const isZoomed = () => zoom.scale > 1;
  const mapX = x => rounded(zoom.scale * x + zoom.x);
  const mapY = y => rounded(zoom.scale * y + zoom.y);

  /// Elements, their attributes as they were, and how to get those of a zoom.
  const moving = [];
  const move = (selector, names, place) => {
    for (const element of all(selector, svg)) {
      const before = names.map(name => element.getAttribute(name));
      moving.push({element, names, before, place});
    }
  };
  const ends = ['x1', 'y1', 'x2', 'y2'];
  move('.lines polyline', ['points'], ([points]) => [
    numbers(points).map((value, i) => (i % 2 ? mapY(value) : mapX(value))).join(' ')]);
  move('.rules line', ends, ([x1, y1, x2, y2]) => [mapX(x1), mapY(y1), mapX(x2), mapY(y2)]);
  move('.markers .marker', ['transform'], ([transform]) => {
    const [x, y] = numbers(transform);
    return [`translate(${mapX(x)} ${mapY(y)})`];
  });

  /// A label moves by as much as what it names; that of a rule stays at its side of the frame.
  const shiftOf = element => {
    const [x, y] = numbers(element.dataset.anchor);
    return [x === right ? 0 : mapX(x) - x, y === top ? 0 : mapY(y) - y];
  };
  move('.labels text', ['x', 'y', 'transform'], ([x, y, transform], element) => {
    const [dx, dy] = shiftOf(element);
    const at = [rounded(+x + dx), rounded(+y + dy)];
    return [...at, transform && `rotate(${numbers(transform)[0]} ${at.join(' ')})`];
  });
  move('.labels line', ends, ([x1, y1, x2, y2], element) => {
    const [dx, dy] = shiftOf(element);
    return [+x1 + dx, +y1 + dy, +x2 + dx, +y2 + dy].map(rounded);
  });

  const moveAll = () => {
    for (const {element, names, before, place} of moving) {
      const now = isZoomed() ? place(before, element) : before;
      names.forEach((name, i) => now[i] === null || element.setAttribute(name, now[i]));
    }
  };

  // ---- markers and labels that have no room ----

  const markers = all('.markers .marker', svg).map(element => {
    const title = element.querySelector('title');
    const lines = title.textContent.split('\n');
    title.remove();  // else the browser shows a tooltip of its own beside ours
    return {element, lines};
  });
  const markerOf = element => markers.find(marker => marker.element === element);
  const placeOf = marker => numbers(marker.element.getAttribute('transform'));
  const isShown = ({element}) => !element.matches('.off, .outside');

  /// The corners of a text, also of a turned one.
  const cornersOf = text => {
    const {x, y, width: w, height: h} = text.getBBox();
    const turns = text.transform.baseVal;
    const matrix = turns.numberOfItems ? turns.getItem(0).matrix : svg.createSVGMatrix();
    return [[x, y], [x + w, y], [x + w, y + h], [x, y + h]].map(([cx, cy]) => {
      const corner = new DOMPoint(cx, cy).matrixTransform(matrix);
      return [corner.x, corner.y];
    });
  };
  /// Whether two rectangles overlap: not if a side of either has them on different sides of it.
  const overlap = (a, b) => ![[a, b], [b, a]].some(([one, other]) => one.some((from, i) => {
    const to = one[(i + 1) % 4];
    const side = ([x, y]) => (to[0] - from[0]) * (y - from[1]) - (to[1] - from[1]) * (x - from[0]);
    const inside = side(one[(i + 2) % 4]);
    return other.every(corner => side(corner) * inside <= 0);
  }));

  const labels = all('.labels text', svg);
  const hideWhatHasNoRoom = () => {
    for (const marker of markers) {
      marker.element.classList.toggle('outside', isZoomed() && !inFrame(placeOf(marker)));
    }
    const taken = [];
    for (const label of labels) {
      label.classList.remove('outside');
      if (!isZoomed() || label.matches('.off')) continue;
      const corners = cornersOf(label);
      const fits = corners.every(inFrame) && !taken.some(other => overlap(corners, other));
      if (fits) taken.push(corners);
      label.classList.toggle('outside', !fits);
    }
    for (const leader of all('.labels .leader', svg)) {
      const {anchor} = leader.dataset;
      const label = labels.find(other => other.dataset.anchor === anchor);
      const [x1, y1, x2, y2] = ends.map(name => +leader.getAttribute(name));
      leader.classList.toggle('outside', isZoomed() &&
        !(label && !label.matches('.outside') && inFrame([x1, y1]) && inFrame([x2, y2])));
    }
  };

  // ---- ticks and grid ----

  /// An axis from pixel `start` on: its range under the zoom, and where a value is then.
  const axis = (name, start, length) => {
    const [low, high] = numbers(svg.dataset[name]);
    const range = Math.log(high / low);
    const valueAt = pixel => low * Math.exp(range * (pixel - start) / length);
    const shown = pixel => valueAt((pixel - zoom[name]) / zoom.scale);
    const map = name === 'x' ? mapX : mapY;
    return {name, unit: view.dataset[`${name}Unit`],
            range: () => [shown(start), shown(start + length)],
            pixelOf: value => map(start + length * Math.log(value / low) / range)};
  };
  const axes = [axis('x', left, width), axis('y', bottom, -height)];

  const grid = svg.querySelector('.grid');
  const ticks = svg.querySelector('.ticks');
  const before = {lines: all('.major, .minor', grid), texts: all('text:not(.axis)', ticks)};
  let drawn = before;
  const patterns = {x: before.texts.find(text => text.getAttribute('y') > bottom),
                    y: before.texts.find(text => text.getAttribute('y') <= bottom)};
  const textDrop = 4;  // of a baseline below the middle of its line

  const gridLine = (points, kind) => {
    const line = document.createElementNS(svg.namespaceURI, 'line');
    line.setAttribute('class', kind);
    ends.forEach((end, i) => line.setAttribute(end, points[i]));
    return line;
  };
  const tickLabel = (name, at, text) => {
    const label = patterns[name].cloneNode();
    label.textContent = text;
    label.setAttribute(name, rounded(name === 'x' ? at : at + textDrop));
    return label;
  };
  const drawAxes = () => {
    const now = isZoomed() ? {lines: [], texts: []} : before;
    for (const {name, unit, pixelOf, range} of isZoomed() ? axes : []) {
      for (const {value, text} of ticksBetween(...range(), unit)) {
        const at = pixelOf(value);
        const points = name === 'x' ? [at, top, at, bottom] : [left, at, right, at];
        now.lines.push(gridLine(points, text ? 'major' : 'minor'));
        if (text) now.texts.push(tickLabel(name, at, text));
      }
    }
    for (const node of [...drawn.lines, ...drawn.texts]) node.remove();
    grid.prepend(...now.lines);
    ticks.prepend(...now.texts);
    drawn = now;
  };

  // ---- tooltip ----

  let active = null;     // the marker that the tooltip is of
  let dismissed = null;  // the one that Escape closed it for
  const make = (tag, text) => Object.assign(document.createElement(tag), {textContent: text});

  const placeTooltip = () => {
    if (!active) return;
    const gap = 10;
    const at = active.element.getBoundingClientRect();
    const box = tooltip.getBoundingClientRect();
    const above = at.top - box.height - gap;
    const {clientWidth, clientHeight} = document.documentElement;
    tooltip.style.left = `${limited(at.left + at.width / 2 - box.width / 2, 4,
                                    Math.max(4, clientWidth - box.width - 4))}px`;
    tooltip.style.top = `${above >= 4 ? above : Math.min(at.bottom + gap,
                                                        clientHeight - box.height - 4)}px`;
  };
  const show = marker => {
    if (marker && (!isShown(marker) || marker === dismissed)) marker = null;
    if (marker === active) return;
    if (active) active.element.classList.remove('active');
    active = marker;
    tooltip.hidden = !marker;
    if (!marker) return;
    marker.element.classList.add('active');
    const [title, ...figures] = marker.lines;
    const list = make('dl', '');
    for (const figure of figures) {
      const colon = figure.indexOf(': ');
      list.append(make('dt', figure.slice(0, colon)), make('dd', figure.slice(colon + 2)));
    }
    tooltip.replaceChildren(make('strong', title), list);
    placeTooltip();
  };

  const nearest = event => {
    const reach = 14;
    const [x, y] = positionOf(event);
    let best = null;
    let least = reach;
    for (const marker of markers.filter(isShown)) {
      const [mx, my] = placeOf(marker);
      const distance = Math.hypot(mx - x, my - y);
      if (distance < least) [best, least] = [marker, distance];
    }
    return best;
  };
  const focused = () => markerOf(document.activeElement) || null;
  const follow = event => {
    const marker = nearest(event);
    if (marker !== dismissed) dismissed = null;
    show(marker || focused());
  };
  svg.addEventListener('pointermove', event => drag || follow(event));
  svg.addEventListener('pointerdown', follow);
  svg.addEventListener('pointerleave', () => show(focused()));
  view.addEventListener('focusin', event => {
    dismissed = null;
    show(markerOf(event.target));
  });
  view.addEventListener('focusout', () => show(null));
  document.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || !active) return;
    dismissed = active;
    show(null);
  });
  window.addEventListener('scroll', placeTooltip, {passive: true, capture: true});
  window.addEventListener('resize', placeTooltip);

  // ---- zoom by wheel, pointer, keys and buttons ----

  const output = document.getElementById('zoom-factor');
  const buttons = all('[data-zoom]');

  const draw = () => {
    moveAll();
    drawAxes();
    hideWhatHasNoRoom();
    output.textContent = `${zoom.scale.toFixed(1)}x`;
    view.classList.toggle('zoomed', isZoomed());
    for (const button of buttons) {
      const end = button.dataset.zoom === 'in' ? zoom.scale >= largestScale : !isZoomed();
      button.setAttribute('aria-disabled', end);
    }
    if (active && !isShown(active)) show(null);
    placeTooltip();
  };
  /// The frame always shows a part of what it showed at first.
  const zoomTo = (scale, x, y) => {
    scale = limited(scale, 1, largestScale);
    if (scale < 1.001) scale = 1;
    zoom = {scale, x: limited(x, right - scale * right, left - scale * left),
            y: limited(y, bottom - scale * bottom, top - scale * top)};
    draw();
  };
  const zoomAt = (factor, [x, y]) => {
    const scale = limited(zoom.scale * factor, 1, largestScale);
    const by = scale / zoom.scale;
    zoomTo(scale, x - by * (x - zoom.x), y - by * (y - zoom.y));
  };
  const pan = (dx, dy) => zoomTo(zoom.scale, zoom.x + dx, zoom.y + dy);
  const reset = () => zoomTo(1, 0, 0);
  const middle = () => {
    const marker = focused();
    return marker && isShown(marker) ? placeOf(marker) : [left + width / 2, top + height / 2];
  };

  const step = 1.5;
  for (const button of buttons) {
    button.addEventListener('click', () => {
      if (button.dataset.zoom === 'reset') return reset();
      zoomAt(button.dataset.zoom === 'in' ? step : 1 / step, middle());
    });
  }

  const stride = 40;
  const keys = {
    '+': () => zoomAt(step, middle()), '=': () => zoomAt(step, middle()),
    '-': () => zoomAt(1 / step, middle()), '0': reset,
    ArrowLeft: () => pan(stride, 0), ArrowRight: () => pan(-stride, 0),
    ArrowUp: () => pan(0, stride), ArrowDown: () => pan(0, -stride)
  };
  view.addEventListener('keydown', event => {
    const action = keys[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.startsWith('Arrow') && !isZoomed()) return;  // the page scrolls
    event.preventDefault();
    action();
  });

  svg.addEventListener('wheel', event => {
    const at = positionOf(event);
    if (!inFrame(at) || event.deltaY === 0 || (event.deltaY > 0 && !isZoomed())) return;
    event.preventDefault();
    const pixels = event.deltaMode === 0 ? event.deltaY : event.deltaY * 33;
    zoomAt(Math.exp(limited(-pixels, -200, 200) * 0.002), at);
  }, {passive: false});

  let drag = null;
  svg.addEventListener('pointerdown', event => {
    const at = positionOf(event);
    if (event.button !== 0 || !isZoomed() || !inFrame(at)) return;
    drag = {at, zoom, id: event.pointerId};
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener('pointermove', event => {
    if (!drag || event.pointerId !== drag.id) return;
    const [x, y] = positionOf(event);
    view.classList.add('dragged');
    zoomTo(drag.zoom.scale, drag.zoom.x + x - drag.at[0], drag.zoom.y + y - drag.at[1]);
  });
  for (const name of ['pointerup', 'pointercancel']) {
    svg.addEventListener(name, () => {
      drag = null;
      view.classList.remove('dragged');
    });
  }
  svg.addEventListener('dblclick', event => {
    if (!inFrame(positionOf(event))) return;
    event.preventDefault();
    reset();
  });

  // ---- switches ----

  const fieldsets = all('fieldset.switches');
  const boxesOf = fieldset => all('input[type=checkbox]', fieldset);

  const applySwitches = () => {
    const isOff = {};
    for (const fieldset of fieldsets) {
      for (const box of boxesOf(fieldset)) isOff[fieldset.dataset.kind + box.value] = !box.checked;
    }
    for (const element of all('[data-line], [data-point]', svg)) {
      const {line, point} = element.dataset;
      element.classList.toggle('off', Boolean(isOff[`line${line}`] || isOff[`point${point}`]));
    }
    draw();
  };
  /// What the legend has beside the key's name, moved to the middle of a picture of its own.
  const swatch = (kind, value) => {
    const entry = svg.querySelector(`.legend [data-${kind}="${value}"]`);
    const shape = entry && entry.querySelector('line, path');
    if (!shape) return '';
    const {x, y, width: w, height: h} = shape.getBBox();
    const copy = (shape.parentNode === entry ? shape : shape.parentNode).cloneNode(true);
    copy.removeAttribute('transform');
    const group = document.createElementNS(svg.namespaceURI, 'g');
    group.setAttribute('transform', `translate(${-x - w / 2} ${-y - h / 2})`);
    group.append(copy);
    const picture = document.createElementNS(svg.namespaceURI, 'svg');
    picture.setAttribute('class', 'chart swatch');
    picture.setAttribute('viewBox', '-12 -8 24 16');
    picture.setAttribute('aria-hidden', 'true');
    picture.append(group);
    return picture;
  };
  for (const fieldset of fieldsets) {
    for (const box of boxesOf(fieldset)) box.after(swatch(fieldset.dataset.kind, box.value));
    fieldset.addEventListener('change', applySwitches);
    for (const button of all('[data-all]', fieldset)) {
      button.addEventListener('click', () => {
        for (const box of boxesOf(fieldset)) box.checked = button.dataset.all === 'on';
        applySwitches();
      });
    }
  }

  // ---- begin ----

  svg.setAttribute('role', 'group');  // an image would hide its markers from a screen reader
  view.setAttribute('role', 'group');
  view.setAttribute('aria-label', view.dataset.label);
  view.tabIndex = 0;
  for (const control of all('.toolbar, .switches')) control.hidden = false;
  applySwitches();
})();
