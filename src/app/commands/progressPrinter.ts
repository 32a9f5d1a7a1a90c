/** @returns a function that prints a line per tenth of the log */
export function progressPrinter(print: (line: string) => void) {
  let printed = 0;
  return (done: number, of: number) => {
    const percent = of === 0 ? 100 : Math.floor((done / of) * 100);
    if (percent < 100 && percent < printed + 10) return;
    printed = percent;
    print(`${percent} % (${done} of ${of} events)`);
  };
}
