// Parts of the page. Names come from files of others: they only ever become text, never markup.
const elements = {
  make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  },
  section(title, ...children) {
    const section = elements.make('section', {}, elements.make('h2', {}, title), ...children);
    document.getElementById('main').append(section);
    return section;
  },
  facts(pairs) {
    const box = elements.make('div', { class: 'facts' });
    for (const [name, value] of pairs)
      box.append(elements.make('div', { class: 'fact' }, elements.make('span', {}, name), elements.make('b', {}, value)));
    return box;
  },
  /// The value of a field of a forecast, or undefined. Times by name are summed, an interval is [low, high].
  valueOf({ key, unit }, result) {
    if (unit === 'Interval')
      return result[key + '_low_s'] === undefined ? undefined : [result[key + '_low_s'], result[key + '_high_s']];
    const value = key.split('.').reduce((inner, name) => inner?.[name], result);
    return unit === 'Times' && value ? Object.values(value).reduce((sum, time) => sum + time, 0) : value;
  },
  /// The columns of a table of fields, and before them others. Some are shown only if a row has "any" of it or it is
  /// "known" of a row.
  columns: (fieldsOf, ...before) => [...before, ...fieldsOf.map((field) => ({ name: field.heading + (format.inMs(field) ? ' ms' : ''),
    value: (row) => elements.valueOf(field, row) ?? undefined, text: (value) => format.cell(field.unit, value), isText: format.isText(field.unit),
    onlyIf: field.only_if }))],
  list(lines) {
    const list = elements.make('ul');
    for (const line of lines) list.append(elements.make('li', {}, line));
    return list;
  },
  button(label, action) {
    const button = elements.make('button', { type: 'button' }, label);
    button.addEventListener('click', action);
    return button;
  },
  /// Columns: {name, value(row), text(value)?, isText?, onlyIf?}. Sorts by a click on a heading, filters by words.
  table(all, rows, { caption = '', best = null, filter = rows.length > 12 } = {}) {
    const columns = all.filter(({ onlyIf, value }) => !onlyIf || rows.some((row) => (onlyIf === 'any' ? value(row) : value(row) !== undefined)));
    const body = elements.make('tbody');
    const head = elements.make('tr');
    let order = null;
    let wanted = '';
    const cellText = (column, row) => {
      const value = column.value(row);
      if (column.text) return column.text(value);
      return typeof value === 'number' ? format.number(value) : String(value ?? '-');
    };
    const fill = () => {
      const shown = rows.filter((row) =>
        wanted.split(/\s+/).every((word) => columns.some((c) => cellText(c, row).toLowerCase().includes(word))));
      if (order)
        shown.sort((a, b) => {
          const [x, y] = [order.column.value(a), order.column.value(b)];
          return order.sign * (typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y)));
        });
      body.replaceChildren(...shown.map((row) => elements.make('tr', best === row ? { class: 'best' } : {},
        ...columns.map((c) => elements.make('td', c.isText ? { class: 'text' } : {}, cellText(c, row))))));
    };
    for (const column of columns) {
      const sort = elements.button(column.name, () => {
        order = { column, sign: order?.column === column ? -order.sign : 1 };
        for (const cell of head.children) cell.removeAttribute('aria-sort');
        sort.parentElement.setAttribute('aria-sort', order.sign > 0 ? 'ascending' : 'descending');
        fill();
      });
      head.append(elements.make('th', { scope: 'col', ...(column.isText ? { class: 'text' } : {}) }, sort));
    }
    fill();
    const table = elements.make('table', {}, elements.make('thead', {}, head), body);
    if (caption) table.prepend(elements.make('caption', {}, caption));
    const box = elements.make('div', {}, elements.make('div', { class: 'scroll', tabindex: '0' }, table));
    if (filter) {
      const input = elements.make('input', { class: 'filter', type: 'search', placeholder: 'Filter rows', 'aria-label': 'Filter rows' });
      input.addEventListener('input', () => {
        wanted = input.value.toLowerCase().trim();
        fill();
      });
      box.prepend(input);
    }
    return box;
  },
  save(name, type, text) {
    const url = URL.createObjectURL(new Blob([text], { type }));
    elements.make('a', { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  },
};
