// Numbers as people read them. Every function returns text.
const format = {
  number(value, digits = 4) {
    if (value === null || value === undefined || !Number.isFinite(value)) return '-';
    return String(Number(value.toPrecision(digits)));
  },
  ms: (seconds) => (Number.isFinite(seconds) ? (seconds * 1e3).toFixed(2) : '-'),
  time(seconds) {
    if (!Number.isFinite(seconds)) return '-';
    const size = Math.abs(seconds);
    if (size >= 1) return format.number(seconds) + ' s';
    if (size >= 1e-3 || size === 0) return format.number(seconds * 1e3) + ' ms';
    return format.number(seconds * 1e6) + ' µs';
  },
  bytes(bytes) {
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
    let unit = 0;
    let value = bytes;
    while (Math.abs(value) >= 1024 && unit + 1 < units.length) {
      value /= 1024;
      unit += 1;
    }
    return format.number(value) + ' ' + units[unit];
  },
  rate: (bytesPerSecond) => format.number(bytesPerSecond / 1e9) + ' GB/s',
  percent: (share) => (Number.isFinite(share) ? (share * 100).toFixed(1) + ' %' : '-'),
  /// A field of a forecast by its unit: with the unit, and for a column whose heading names it.
  line: (unit, value) => ({ Seconds: format.time, Bytes: format.bytes, Share: format.percent,
    Interval: ([low, high]) => `${format.time(low)} to ${format.time(high)}`,
    SamplesPerSecond: (rate) => format.number(rate, 5) + ' samples/s' }[unit] ?? String)(value),
  cell: (unit, value) => (value === undefined ? '-' : ({ Seconds: format.ms, Bytes: format.bytes, Share: format.percent,
    Times: format.ms, Time: format.time, BytesPerSecond: format.rate, Ratio: (ratio) => ratio.toFixed(3),
    Slowdown: (ratio) => format.number(ratio, 5), PartsPerMillion: (ratio) => (ratio * 1e6).toFixed(2),
    Rows: (list) => list.join(', '), SamplesPerSecond: (rate) => rate.toFixed(1) }[unit] ??
    ((other) => (typeof other === 'number' ? format.number(other) : String(other))))(value)),
  isText: (unit) => ['Name', 'Text', 'Rows'].includes(unit),
  /// Whether a column shows ms and its heading does not say so.
  inMs: ({ unit, heading }) => (unit === 'Seconds' || unit === 'Times') && !heading.endsWith('ms'),
  words: (key) => key.replace(/_(s|bytes|per_s)$/, '').replaceAll('_', ' '),
  short: (text, most = 40) => (text.length > most ? text.slice(0, most - 1) + '…' : text),
};
