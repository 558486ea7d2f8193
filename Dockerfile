# docker build -t stepcast . && docker run --rm stepcast
# Written from the two commands of the README; it has not been built in a container engine by its authors.
FROM debian:12
COPY . /stepcast
WORKDIR /stepcast
RUN ./scripts/setup --page && ./scripts/configure release --without-tests && ninja -C build/release stepcast
ENV PATH=/stepcast/build/release/bin:$PATH
ENTRYPOINT ["stepcast"]
CMD ["compare", "five-dnns", "--across", "schedule"]
