#include "report/stream.hpp"

#include <algorithm>

#include "roofline/error.hpp"

namespace roofline::report {

Stream::Stream(Format format, std::vector<Column> columns, std::vector<std::string> in_title,
               const TextOptions& options)
    : format_(format),
      columns_(std::move(columns)),
      in_title_(std::move(in_title)),
      options_(options),
      summaries_(columns_.size()) {
  ensure(format != Format::json && format != Format::html && format != Format::svg,
         "that format is one piece and no stream");
}

bool Stream::needs_all_rows() const {
  return format_ == Format::text || format_ == Format::markdown;
}

void Stream::look_at(const Row& row) {
  for (std::size_t c = 0; c < row.size(); ++c) summaries_[c].add(row[c], columns_[c].unit);
}

void Stream::begin(std::string& out, std::string_view title) {
  if (format_ == Format::jsonl) return;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    Column& column = columns_[c];
    const bool said = std::find(in_title_.begin(), in_title_.end(), column.key) != in_title_.end();
    const bool hidden = summaries_[c].absent || (said && summaries_[c].shared);
    if (needs_all_rows() && hidden) column.show = Show::machine;
    if (format_ == Format::csv && summaries_[c].absent) column.show = Show::text;
  }
  if (format_ == Format::csv) return append_csv_header(out, columns_);
  text_columns_ = text_columns(columns_, summaries_, options_.significant_digits);
  if (format_ == Format::markdown) {
    out += markdown_title(title) + '\n';
    return append_markdown_header(out, text_columns_);
  }
  append_wrapped(out, "", title);
  out += '\n';
  fit_line(text_columns_);
  append_text_header(out, text_columns_);
}

void Stream::append(std::string& out, const Row& row) const {
  switch (format_) {
    case Format::csv:
      return append_csv_row(out, columns_, row);
    case Format::markdown:
      return append_markdown_row(out, text_columns_, row);
    case Format::text:
      return append_text_row(out, text_columns_, row);
    case Format::html:
    case Format::json:
    case Format::jsonl:
    case Format::svg:
      break;
  }
  append_jsonl_row(out, columns_, row);
}

void Stream::end(std::string& out, const std::vector<std::string>& notes) const {
  if (format_ != Format::markdown) return;
  for (const std::string& note : notes) out += markdown_note(note);
}

const ColumnSummary* Stream::summary(std::string_view key) const {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].key == key) return &summaries_[c];
  }
  return nullptr;
}

}  // namespace roofline::report
