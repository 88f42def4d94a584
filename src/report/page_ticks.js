// The ticks of a logarithmic axis that was zoomed, written as those of the picture are.
const ticksBetween = (() => {
  'use strict';

  const hair = 1e-9;
  const prefixes = [[1e18, 'E'], [1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'],
                    [1, ''], [1e-3, 'm'], [1e-6, 'u'], [1e-9, 'n']];
  const decadeOf = value => Math.floor(Math.log10(value) + hair);

  /// As many decimals as a multiple of `step` needs, and commas between thousands.
  const numberText = (value, step) => {
    const decimals = Math.max(0, -decadeOf(step));
    return value.toLocaleString('en-US', {minimumFractionDigits: decimals,
                                          maximumFractionDigits: decimals});
  };
  const tickText = (value, step, unit) => {
    if (!unit) return numberText(value, step);
    const [factor, prefix] = prefixes.find(([one]) => value >= one * (1 - hair)) || prefixes[9];
    return `${numberText(value / factor, step / factor)} ${prefix}${unit}`;
  };

  /// Of a range too short for powers of ten: equal steps of 1, 2 or 5.
  const equalSteps = (low, high, unit) => {
    const rough = (high - low) / 6;
    const power = 10 ** decadeOf(rough);
    const step = power * [1, 2, 5, 10].find(factor => factor * power >= rough);
    const ticks = [];
    for (let i = Math.ceil(low / step - hair); i * step <= high * (1 + hair); ++i) {
      ticks.push({value: i * step, text: tickText(i * step, step, unit)});
    }
    return ticks;
  };

  /// {value, text}, the text empty for minor ones. Powers of ten have text, and where there are
  /// fewer than three, their multiples by 2 and 5. `unit` goes with the text; it may be empty.
  return (low, high, unit) => {
    if (high / low < 5) return equalSteps(low, high, unit);
    const powers = decadeOf(high) + Math.floor(hair - Math.log10(low)) + 1;
    const ticks = [];
    for (let decade = decadeOf(low); decade <= decadeOf(high); ++decade) {
      for (let factor = 1; factor < 10; ++factor) {
        const value = factor * 10 ** decade;
        if (value < low * (1 - hair) || value > high * (1 + hair)) continue;
        const shown = factor === 1 || (powers < 3 && (factor === 2 || factor === 5));
        ticks.push({value, text: shown ? tickText(value, value, unit) : ''});
      }
    }
    return ticks;
  };
})();
